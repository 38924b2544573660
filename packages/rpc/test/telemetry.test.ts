import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { RefusalError, refuse } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { createMetrics, type Registry, startTelemetry, withSpan } from '@gerbang/runtime';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openChannel } from '../src/index.ts';
import { serveLedger } from './harness.ts';

const CLIENT = 3;
const SERVER = 2;
const ERROR = 2;

const spanSchema = z.object({
  name: z.string(),
  kind: z.number(),
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(''),
  status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
  attributes: z
    .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }))
    .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))),
});
const bodySchema = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })) })),
});

/** An OTLP collector over HTTP with JSON. */
const spans: z.output<typeof spanSchema>[] = [];
let collector: Server;
let stopTelemetry: () => Promise<void>;

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { resourceSpans } = bodySchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const address = collector.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  stopTelemetry = await startTelemetry({ service: 'test', otlpEndpoint: `http://127.0.0.1:${address.port}` });
});
afterAll(async () => {
  await stopTelemetry();
  collector.close();
  collector.closeAllConnections();
});

async function withLedger(metrics: Registry, work: (ledger: ReturnType<typeof clientOf>, port: number) => Promise<void>) {
  const server = await serveLedger(
    {
      getBalance: async () => ({}),
      post: async () => {
        throw new RefusalError(refuse('insufficient_balance'));
      },
      verify: async () => {
        throw new Error('broken');
      },
    },
    { metrics },
  );
  const channel = openChannel({ address: `127.0.0.1:${server.port}`, tls: undefined, metrics });
  await work(clientOf(channel), server.port);
  await channel.close();
  await server.close();
}

const clientOf = (channel: ReturnType<typeof openChannel>) => channel.client(LedgerService);

test('each call has a span on both sides, of the caller’s trace, by the semantic conventions for gRPC', async () => {
  let port = 0;
  await withLedger(createMetrics('test'), async (ledger, servedAt) => {
    port = servedAt;
    await withSpan('request', {}, async () => {
      // Two of one turn travel in one batch, and are spans of their own all the same.
      await Promise.allSettled([ledger.getBalance({}), ledger.post({}), ledger.verify({})]);
    });
  });
  const root = await eventually(
    'the spans are exported',
    () => spans.length >= 7 && spans.find(({ name }) => name === 'request'),
  );
  const method = (name: string) => `gerbang.ledger.v1.LedgerService/${name}`;
  const find = (kind: number, name: string) => {
    const found = spans.filter((span) => span.kind === kind && span.name === method(name));
    expect(found).toHaveLength(1);
    return found[0];
  };
  for (const name of ['GetBalance', 'Post', 'Verify']) {
    const client = find(CLIENT, name);
    const server = find(SERVER, name);
    expect(client).toMatchObject({ traceId: root.traceId, parentSpanId: root.spanId });
    expect(server).toMatchObject({ traceId: root.traceId, parentSpanId: client?.spanId });
    expect(client?.attributes).toMatchObject({
      'rpc.system.name': 'grpc',
      'rpc.method': method(name),
      'server.address': '127.0.0.1',
    });
    expect(Number(client?.attributes['server.port'])).toBe(port);
    expect(server?.attributes).toMatchObject({ 'rpc.system.name': 'grpc', 'rpc.method': method(name) });
  }
  const outcome = (kind: number, name: string) => {
    const span = find(kind, name);
    return [span?.attributes['rpc.response.status_code'], span?.status.code === ERROR];
  };
  expect(outcome(CLIENT, 'GetBalance')).toEqual(['OK', false]);
  expect(outcome(SERVER, 'GetBalance')).toEqual(['OK', false]);
  // A refusal is an error for who asked, and none of the server.
  expect(outcome(CLIENT, 'Post')).toEqual(['FAILED_PRECONDITION', true]);
  expect(outcome(SERVER, 'Post')).toEqual(['FAILED_PRECONDITION', false]);
  expect(outcome(SERVER, 'Verify')).toEqual(['INTERNAL', true]);
});

test('calls, places and lanes are counted on both sides', async () => {
  const metrics = createMetrics('test');
  await withLedger(metrics, async (ledger) => {
    await Promise.allSettled([ledger.getBalance({}), ledger.getBalance({}), ledger.post({})]);
    const text = await metrics.metrics();
    const value = (name: string, ...labels: string[]) => {
      const line = text.split('\n').find((one) => one.startsWith(`${name}{`) && labels.every((label) => one.includes(label)));
      return line === undefined ? undefined : Number(line.split(' ').at(-1));
    };
    for (const side of ['server', 'client']) {
      expect(value(`gerbang_rpc_${side}_calls_total`, 'LedgerService/GetBalance"', 'status="OK"')).toBe(2);
      expect(value(`gerbang_rpc_${side}_calls_total`, 'LedgerService/Post"', 'status="FAILED_PRECONDITION"')).toBe(1);
      expect(value(`gerbang_rpc_${side}_lanes`)).toBe(1);
      expect(value(`gerbang_rpc_${side}_in_flight`)).toBe(0);
    }
    expect(value('gerbang_rpc_server_call_seconds_count', 'LedgerService/GetBalance"')).toBe(2);
  });
  expect(await metrics.metrics()).not.toContain('gerbang_rpc_client_lanes{');
});
