import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { OperatorService } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { Health, HealthCheckResponse_ServingStatus } from '@gerbang/proto/grpc/health/v1/health';
import { currentTraceId, startTelemetry, withSpan } from '@gerbang/runtime';
import { eventually, freePort, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Handlers,
  implement,
  openChannel,
  type RpcChannel,
  type RpcServer,
  startRpcServer,
  type TlsFiles,
} from '../src/index.ts';

const log = testLog();
type Ledger = Handlers<typeof LedgerService>;
const unused = async () => {
  throw new Error('not part of this test');
};

async function serve(handlers: Partial<Ledger>, port = 0, tls?: TlsFiles, callers: string[] = []): Promise<RpcServer> {
  const all: Ledger = { post: unused, getBalance: unused, verify: unused, ...handlers };
  return startRpcServer({
    host: '127.0.0.1',
    port,
    tls,
    log,
    implementations: [implement(LedgerService, all, callers)],
    ready: () => true,
  });
}

const opened: { close(): Promise<void> }[] = [];
function open(port: number, tls?: TlsFiles): RpcChannel {
  const channel = openChannel({ address: `127.0.0.1:${port}`, tls, timeoutMs: 3_000 });
  opened.push(channel);
  return channel;
}

let stopTelemetry: () => Promise<void>;
beforeAll(async () => {
  stopTelemetry = await startTelemetry({ service: 'test', otlpEndpoint: undefined });
});
afterAll(async () => {
  for (const closeable of opened) await closeable.close();
  await stopTelemetry();
});

test('typed there and back, int64 exact', async () => {
  const server = await serve({
    getBalance: async ({ accountId }) => ({ availableSen: accountId === 'a' ? 9_007_199_254_740_993n : 0n }),
  });
  opened.push(server);
  expect((await open(server.port).client(LedgerService).getBalance({ accountId: 'a' })).availableSen).toBe(
    9_007_199_254_740_993n,
  );
});

test.each([
  refuse('insufficient_balance'),
  refuse('duplicate_reference', { echo: { reference_number: 'é' } }),
  refuseField('amount', 'is too large'),
  refuse('idempotency_key_running', { retryAfterMs: 1_000 }),
  refuse('account_limit', { replayed: true }),
  refuse('not_owner', { owner: '10.0.0.1:9102' }),
])('a refusal arrives whole: $refused', async (refusal) => {
  const server = await serve({
    post: async () => {
      throw new RefusalError(refusal);
    },
  });
  opened.push(server);
  await expect(open(server.port).client(LedgerService).post({})).rejects.toMatchObject({ refusal });
});

test('an unexpected error tells nothing of itself', async () => {
  const server = await serve({
    post: async () => {
      throw new Error('the secret is s3cret');
    },
  });
  opened.push(server);
  const failed = await open(server.port)
    .client(LedgerService)
    .post({})
    .catch((error: unknown) => error);
  expect(failed).toMatchObject({ refusal: { refused: 'internal' } });
  expect(String((failed as Error).cause)).not.toContain('s3cret');
});

test('a deadline ends the call on both sides', async () => {
  let ended = false;
  const server = await serve({
    post: (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended = true;
          reject(new Error('aborted'));
        });
      }),
  });
  opened.push(server);
  await expect(open(server.port).client(LedgerService).post({}, { timeoutMs: 100 })).rejects.toMatchObject({
    refusal: { refused: 'timeout' },
  });
  await eventually('the handler was told', () => ended);
});

test('a caller that gives up cancels the call', async () => {
  const started = Promise.withResolvers<void>();
  let ended = false;
  const server = await serve({
    post: (_request, { signal }) => {
      started.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended = true;
          reject(new Error('aborted'));
        });
      });
    },
  });
  opened.push(server);
  const controller = new AbortController();
  // The deadline is far off: what tells the handler is the word of the caller.
  const call = open(server.port).client(LedgerService).post({}, { signal: controller.signal, timeoutMs: 120_000 });
  await started.promise;
  controller.abort();
  await expect(call).rejects.toMatchObject({ refusal: { refused: 'timeout' } });
  await eventually('the handler was told', () => ended);
});

test('an idempotent call waits for a service that starts late; another one fails at once', async () => {
  const port = await freePort();
  const channel = open(port);
  const waiting = channel.client(LedgerService).post({ postingKey: 'k' });
  await expect(channel.client(OperatorService).fund({})).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
  const server = await serve({ post: async () => ({ availableAfterSen: 7n }) }, port);
  opened.push(server);
  expect((await waiting).availableAfterSen).toBe(7n);
});

test('an idempotent call whose caller tries again itself fails at once, too', async () => {
  const channel = open(await freePort());
  // With retries it would go on for longer than this test may take.
  await expect(channel.client(LedgerService).post({}, { retry: false, timeoutMs: 120_000 })).rejects.toMatchObject({
    refusal: { refused: 'unavailable' },
  });
});

test('a refusal that travels as UNAVAILABLE is an answer: an idempotent call is not tried again', async () => {
  let calls = 0;
  const server = await serve({
    post: async () => {
      calls++;
      throw new RefusalError(refuse('vendor_inactive'));
    },
  });
  opened.push(server);
  await expect(open(server.port).client(LedgerService).post({})).rejects.toMatchObject({
    refusal: { refused: 'vendor_inactive' },
  });
  expect(calls).toBe(1);
});

test('a closing server finishes what is in flight', async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const server = await serve({
    post: async () => {
      started.resolve();
      await finish.promise;
      return { availableAfterSen: 1n };
    },
  });
  const call = open(server.port).client(LedgerService).post({});
  await started.promise;
  const closing = server.close();
  finish.resolve();
  expect((await call).availableAfterSen).toBe(1n);
  await closing;
});

test('the trace goes with the call', async () => {
  let seen = '';
  const server = await serve({
    post: async () => {
      seen = currentTraceId();
      return {};
    },
  });
  opened.push(server);
  const client = open(server.port).client(LedgerService);
  const mine = await withSpan('request', {}, async () => {
    await client.post({});
    return currentTraceId();
  });
  expect(mine).toMatch(/^[0-9a-f]{32}$/);
  expect(seen).toBe(mine);
});

test('health follows the service', async () => {
  const server = await serve({});
  opened.push(server);
  expect((await open(server.port).client(Health).check({})).status).toBe(HealthCheckResponse_ServingStatus.SERVING);
});
