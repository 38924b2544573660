import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { FrameKind, LaneService } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { within } from '@gerbang/runtime';
import { eventually } from '@gerbang/testkit';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, afterEach, expect, test } from 'vitest';
import { newFrame } from '../src/lanes/frame-codec.ts';
import { openMethod } from '../src/lanes/frames.ts';
import { Opened } from './harness.ts';

const POST = '/gerbang.ledger.v1.LedgerService/Post';

const opened = new Opened();
afterEach(() => opened.closeRawLanes());
afterAll(() => opened.close());

/** A server whose handler never answers; `begun` when it has been asked. */
async function serveEndless() {
  const begun = Promise.withResolvers<void>();
  let aborted = false;
  const server = await opened.serve({
    post: (_request, call) => {
      call.onAbort(() => {
        aborted = true;
      });
      begun.resolve();
      return new Promise(() => {});
    },
  });
  return { server, begun: begun.promise, isAborted: () => aborted };
}

test('what makes no sense ends the lane it came over and no other', async () => {
  const server = await opened.serve({ post: async () => ({}) });
  const ledger = opened.ledger(server.port);
  await ledger.post({});
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  const stream = client.makeBidiStreamRequest(openMethod.path, (bytes: Buffer) => bytes, openMethod.responseDeserialize);
  const failed = new Promise((resolve) => stream.on('error', resolve));
  stream.on('data', () => {});
  stream.write(Buffer.from([0xff, 0xff, 0xff, 0x01]));
  await failed;
  await ledger.post({});
  client.close();
});

test('frames of a later version, and of calls that are not there, are passed over', async () => {
  const server = await opened.serve({ post: async () => ({ availableAfterSen: 3n }) });
  const lane = opened.rawLane(server.port);
  expect(openMethod.path).toBe(`/${LaneService.typeName}/Open`);
  lane.send(
    { kind: 99 as FrameKind },
    { kind: FrameKind.CHUNK, callId: 7 },
    { kind: FrameKind.CANCEL, callId: 7 },
    { kind: FrameKind.CALL, callId: 8, method: '/gerbang.ledger.v1.LedgerService/Nothing', timeoutMs: 1_000 },
  );
  lane.send({ kind: FrameKind.PING }, { kind: FrameKind.CALL, callId: 9, method: POST, timeoutMs: 1_000 });
  const kinds = () => lane.heard.map(({ kind }) => kind);
  await eventually('both calls are answered', () => kinds().includes(FrameKind.ANSWER));
  expect(kinds()).toEqual(expect.arrayContaining([FrameKind.WELCOME, FrameKind.FAILURE, FrameKind.PONG, FrameKind.ANSWER]));
  lane.stream.end();
  await once(lane.stream, 'end');
});

test('a deadline is told to the handler by the server itself, and the call of a client that says no more is not answered', async () => {
  let ended = 0;
  const server = await opened.serve({
    post: (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended++;
          reject(new Error('aborted'));
        });
      }),
  });
  const lane = opened.rawLane(server.port);
  lane.send({ kind: FrameKind.CALL, callId: 1, method: POST, timeoutMs: 100 });
  await eventually('the handler was told', () => ended === 1);
  // A request of which the rest never comes has a deadline too.
  lane.send({ kind: FrameKind.CALL, callId: 2, method: POST, timeoutMs: 100, more: true, payload: Buffer.alloc(8) });
  lane.send({ kind: FrameKind.PING });
  await eventually('the lane goes on', () => lane.heard.at(-1)?.kind === FrameKind.PONG);
  expect(lane.heard.map(({ kind }) => kind)).toEqual([FrameKind.WELCOME, FrameKind.PONG]);
});

test('a lane that breaks tells the handlers of its calls', async () => {
  const { server, begun, isAborted } = await serveEndless();
  const lane = opened.rawLane(server.port);
  lane.send({ kind: FrameKind.CALL, callId: 1, method: POST, timeoutMs: 120_000 });
  await begun;
  lane.stream.cancel();
  await eventually('the handler was told', isAborted);
});

test('a client that does not read is not read from either, until it reads', async () => {
  const server = await opened.serve({});
  const lane = opened.rawLane(server.port);
  await eventually('the lane is open', () => lane.heard.length === 1);
  lane.stream.pause();
  // What is refused holds no place, so nothing but this bounds the refusals that wait.
  const method = '/'.padEnd(1_000, 'x');
  const calls = 40_000;
  let taken = 0;
  const ask = () => {
    const batch = Array.from({ length: 50 }, () => newFrame({ kind: FrameKind.CALL, callId: 1, method, timeoutMs: 1_000 }));
    taken += batch.length;
    if (taken < calls) lane.stream.write(batch, ask);
  };
  ask();
  await eventually('the server takes no more', async () => {
    const before = taken;
    await sleep(500);
    return taken === before && taken < calls;
  });
  lane.stream.resume();
  await eventually('all are refused', () => lane.heard.length === calls - 50 + 1);
});

test('a client that does not go when it is asked to is cut off, and its handlers are told', async () => {
  const { server, begun, isAborted } = await serveEndless();
  const lane = opened.rawLane(server.port);
  const failed = new Promise((resolve) => lane.stream.on('error', resolve));
  lane.send({ kind: FrameKind.CALL, callId: 1, method: POST, timeoutMs: 120_000 });
  await begun;
  await within(10_000, server.close());
  expect(lane.heard.at(-1)?.kind).toBe(FrameKind.GOING_AWAY);
  expect(isAborted()).toBe(true);
  await failed;
});
