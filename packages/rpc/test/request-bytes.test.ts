import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { FrameKind } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { createMetrics, type Registry } from '@gerbang/runtime';
import { eventually } from '@gerbang/testkit';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, expect, test } from 'vitest';
import { Admission } from '../src/admission.ts';
import { ask, blockedPost, failureOf, Opened } from './harness.ts';
import { unaryCall } from './unary-call.ts';

const POST = '/gerbang.ledger.v1.LedgerService/Post';
const MIB = 1024 * 1024;

const opened = new Opened();
afterEach(() => opened.closeRawLanes());
afterAll(() => opened.close());

async function requestBytes(metrics: Registry): Promise<number> {
  const [{ value = Number.NaN } = {}] = (await metrics.getSingleMetric('gerbang_rpc_server_request_bytes')?.get())?.values ?? [];
  return value;
}

/** A lane over which parts of requests come, a MiB each. */
function openParts(port: number) {
  const lane = opened.rawLane(port);
  const part = { more: true, payload: Buffer.alloc(MIB) };
  return {
    begin: (callId: number, timeoutMs = 60_000) => lane.send({ kind: FrameKind.CALL, callId, method: POST, timeoutMs, ...part }),
    goOn: (callId: number) => lane.send({ kind: FrameKind.CHUNK, callId, ...part }),
    cancel: (callId: number) => lane.send({ kind: FrameKind.CANCEL, callId }),
    async refused() {
      const pongs = () => lane.heard.filter(({ kind }) => kind === FrameKind.PONG).length;
      const before = pongs();
      lane.send({ kind: FrameKind.PING });
      await eventually('all before it is answered', () => pongs() > before);
      const failures = lane.heard.filter(({ kind }) => kind === FrameKind.FAILURE);
      for (const failure of failures) {
        expect(failure).toMatchObject({ status: status.RESOURCE_EXHAUSTED, message: 'overloaded' });
      }
      return failures.map(({ callId }) => callId);
    },
  };
}

test('requests that are only half there are bounded in bytes; one caller leaves room for others', async () => {
  const metrics = createMetrics('test');
  const server = await opened.serve({ post: async () => ({ availableAfterSen: 1n }) }, { requestBytesMax: 10 * MIB, metrics });
  const [a, b] = [openParts(server.port), openParts(server.port)];
  for (let callId = 1; callId <= 10; callId++) a.begin(callId);
  expect(await a.refused()).toEqual([9, 10]);
  // Another caller has room for small calls and for some large ones.
  const ledger = opened.ledger(server.port);
  await Promise.all(Array.from({ length: 100 }, () => ledger.post({})));
  b.begin(1);
  b.begin(2);
  expect(await b.refused()).toEqual([2]);
  expect(await requestBytes(metrics)).toBe(9 * MIB);
  // More of a request that has begun is room, too; who is refused in the middle leaves what it had.
  a.goOn(1);
  a.goOn(1);
  expect(await a.refused()).toEqual([9, 10, 1]);
  expect(await requestBytes(metrics)).toBe(8 * MIB);
  // So does who gives up, breaks or is too late.
  for (let callId = 2; callId <= 8; callId++) a.cancel(callId);
  await a.refused();
  expect(await requestBytes(metrics)).toBe(MIB);
  opened.closeRawLanes();
  await eventually('a lane that is gone holds nothing', async () => (await requestBytes(metrics)) === 0);
  const c = openParts(server.port);
  c.begin(1, 1_000);
  c.goOn(1);
  await eventually('it has come', async () => (await requestBytes(metrics)) === 2 * MIB);
  await eventually('a request that never comes to an end holds nothing', async () => (await requestBytes(metrics)) === 0);
  expect(await c.refused()).toEqual([]);
});

test('large requests of many callers do not pile up, small ones are answered beside them, and what is free again is used', async () => {
  const metrics = createMetrics('test');
  const { post, unblock } = blockedPost();
  const max = 32 * MIB;
  const server = await opened.serve({ post, getBalance: async () => ({ availableSen: 7n }) }, { requestBytesMax: max, metrics });
  const LARGE = 'x'.repeat(3 * MIB);
  const large = (ledger: ReturnType<typeof opened.ledger>) =>
    ledger.post({ description: LARGE }, { timeoutMs: 60_000, retry: false });
  const calls: Promise<string>[] = [];
  let refused = 0;
  for (const ledger of Array.from({ length: 4 }, () => opened.ledger(server.port))) {
    for (let i = 0; i < 10; i++) {
      const call = large(ledger).then(
        () => 'done',
        (error: unknown) => failureOf(Promise.reject(error)),
      );
      calls.push(call);
      void call.then((outcome) => {
        if (outcome !== 'done') refused++;
      });
    }
  }
  const other = opened.ledger(server.port);
  let atMost = 0;
  // No more than ten fit into the 32 MiB; the rest is refused while they are still there.
  await eventually('the rest is refused', async () => {
    expect((await other.getBalance({})).availableSen).toBe(7n);
    atMost = Math.max(atMost, await requestBytes(metrics));
    return refused >= 30;
  });
  expect(atMost).toBeLessThanOrEqual(max);
  unblock({});
  const outcomes = await Promise.all(calls);
  const done = outcomes.filter((outcome) => outcome === 'done').length;
  expect(done).toBeGreaterThanOrEqual(4);
  expect(done).toBe(40 - refused);
  for (const outcome of outcomes) {
    if (outcome !== 'done') expect(outcome).toMatch(/^overloaded: .*RESOURCE_EXHAUSTED/);
  }
  await eventually('nothing is left', async () => (await requestBytes(metrics)) === 0);
  await Promise.all([large(other), ask(other)]);
});

test('plain unary calls are bounded in bytes with the others', async () => {
  const blocked = blockedPost();
  const server = await opened.serve({ post: blocked.post }, { requestBytesMax: 8 * MIB });
  const post = (bytes: number) =>
    unaryCall(server.port, LedgerService.method.post, { description: 'x'.repeat(bytes) }, { timeoutMs: 30_000 });
  const first = [post(3 * MIB), post(3 * MIB)];
  await eventually('both have begun', () => blocked.begun() === 2);
  await expect(post(3 * MIB)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  const small = post(10);
  blocked.unblock({});
  await Promise.all([...first, small]);
  await post(3 * MIB);
});

test('room in bytes is shared as places are: 80 % for one caller, 44 % for each of two, never more than there is', () => {
  const admission = new Admission({ inFlightMax: 1_000_000, requestBytesMax: 9_000 });
  const fill = (caller: string) => {
    let bytes = 0;
    while (admission.enter(caller, 1) === undefined) bytes++;
    return bytes;
  };
  expect(fill('a')).toBe(7_200);
  const more = fill('b');
  expect(more).toBe(1_440);
  for (let i = 0; i < 7_200; i++) {
    admission.release('a', 1);
    admission.leave('a');
  }
  expect(admission.requestBytes).toBe(more);
  expect(admission.enter('a', 9_001)).toMatchObject({ refused: 'overloaded', retryAfterMs: 1_000 });
  expect(admission.inFlight).toBe(more);
});
