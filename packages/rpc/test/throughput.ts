import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { LedgerService, PostRequestSchema, PostResponseSchema } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { createLogger, createMetrics, startTelemetry } from '@gerbang/runtime';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { implement, openChannel, startRpcServer } from '../src/index.ts';

/**
 * A measurement, not a test: calls a second and their median from one process to another over lanes and by plain unary calls,
 * alternately.
 */

const SECONDS = 4;
const ROUNDS = 3;
const IN_FLIGHT = [1, 64, 256];

const request = {
  merchantId: '01J00000000000000000000000',
  partition: 'p0',
  postingKey: '01J00000000000000000000000:hold',
  accountId: '01J00000000000000000000000',
  amountSen: 1_000n,
  product: 'disbursement',
};

async function serve(): Promise<void> {
  await startTelemetry({ service: 'server', otlpEndpoint: undefined });
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log: createLogger({ service: 'server', level: 'warn' }),
    metrics: createMetrics('server'),
    implementations: [
      implement(
        LedgerService,
        {
          post: async () => ({ availableAfterSen: 7n, postedAtMs: 1_700_000_000_000n }),
          getBalance: async () => ({ availableSen: 7n }),
          verify: async () => ({}),
        },
        [],
      ),
    ],
    ready: () => true,
  });
  process.send?.(server.port);
}

async function measure(inFlight: number, call: () => Promise<unknown>): Promise<{ perSecond: number; p50: number; p99: number }> {
  const latencies: number[] = [];
  let endMs = performance.now() + 1_000;
  const caller = async () => {
    while (performance.now() < endMs) {
      const startMs = performance.now();
      await call();
      latencies.push(performance.now() - startMs);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  latencies.length = 0;
  const startMs = performance.now();
  endMs = startMs + SECONDS * 1_000;
  await Promise.all(Array.from({ length: inFlight }, caller));
  const seconds = (performance.now() - startMs) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { perSecond: Math.round(latencies.length / seconds), p50: at(0.5), p99: at(0.99) };
}

async function drive(): Promise<void> {
  await startTelemetry({ service: 'client', otlpEndpoint: undefined });
  const child: ChildProcess = fork(import.meta.filename, ['serve']);
  const [port] = await once(child, 'message');
  const channel = openChannel({ address: `127.0.0.1:${port}`, tls: undefined, metrics: createMetrics('client') });
  const ledger = channel.client(LedgerService);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const unary = () =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        '/gerbang.ledger.v1.LedgerService/Post',
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => fromBinary(PostResponseSchema, bytes),
        Buffer.from(toBinary(PostRequestSchema, create(PostRequestSchema, request))),
        new Metadata(),
        { deadline: Date.now() + 5_000 },
        (error, answer) => (error === null ? resolve(answer) : reject(error)),
      );
    });
  const kinds = { unary, lanes: () => ledger.post(request) };
  for (const inFlight of IN_FLIGHT) {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [kind, call] of Object.entries(kinds)) {
        const { perSecond, p50, p99 } = await measure(inFlight, call);
        process.stdout.write(
          `${kind}\t${inFlight} in flight\t${perSecond}/s\tp50 ${p50.toFixed(2)} ms\tp99 ${p99.toFixed(2)} ms\n`,
        );
      }
    }
  }
  await channel.close();
  client.close();
  child.kill();
}

await (process.argv[2] === 'serve' ? serve() : drive());
