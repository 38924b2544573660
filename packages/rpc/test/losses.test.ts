import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { FrameKind } from '@gerbang/proto/gerbang/rpc/v1/lane';
import { createLogger, createMetrics } from '@gerbang/runtime';
import { eventually, freePort } from '@gerbang/testkit';
import { afterAll, expect, test } from 'vitest';
import { newFrame } from '../src/lanes/frame-codec.ts';
import { ask, blockedPost, failureOf, numbered, Opened } from './harness.ts';

const opened = new Opened();
const processes: ChildProcess[] = [];
afterAll(async () => {
  for (const child of processes) child.kill('SIGKILL');
  await opened.close();
});

/**
 * A client of one replica, with what an operator sees of its lanes: counts above zero by reason, and the lines of the log without
 * those of attempts.
 */
function watched(port: number) {
  const metrics = createMetrics('test');
  const lines: { level: string; target: string; loss?: string; failed_calls?: number; msg: string }[] = [];
  const log = createLogger({ service: 'test', level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const target = `127.0.0.1:${port}`;
  const channel = opened.channel({ address: target, tls: undefined, metrics, log });
  const counted = async (name: string) => {
    const counts: Record<string, number> = {};
    for (const { labels, value } of (await metrics.getSingleMetric(name)?.get())?.values ?? []) {
      expect(labels.target).toBe(target);
      if (value > 0) counts[String(labels.reason)] = value;
    }
    return counts;
  };
  return {
    channel,
    ledger: channel.client(LedgerService),
    lines,
    metrics,
    lost: () => counted('gerbang_rpc_client_lanes_lost_total'),
    refused: () => counted('gerbang_rpc_client_refused_total'),
  };
}

test('a replica that is killed is told of once, however often it is tried again', async () => {
  const port = await freePort();
  const child = fork(path.join(import.meta.dirname, 'replica-process.ts'), ['127.0.0.1', String(port)]);
  processes.push(child);
  await once(child, 'message');
  const { ledger, lines, lost } = watched(port);
  const call = failureOf(ledger.post({ postingKey: 'never' }, { retry: false, timeoutMs: 60_000 }));
  await ask(ledger);
  expect(await lost()).toEqual({});
  child.kill('SIGKILL');
  expect(await call).toContain('broke after the call had left');
  await eventually('it is tried again', async () => {
    // A call is what opens lanes.
    await ask(ledger).catch(() => undefined);
    return ((await lost()).not_opened ?? 0) > 2;
  });
  expect(await lost()).toMatchObject({ broken: 1 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    level: 'warn',
    target: `127.0.0.1:${port}`,
    loss: 'broken',
    failed_calls: 1,
    msg: 'a lane is lost',
  });
});

test('a replica that has never been there is told of once', async () => {
  const { ledger, lines, lost, refused } = watched(await freePort());
  await eventually('it is tried again', async () => {
    await ask(ledger).catch(() => undefined);
    return ((await lost()).not_opened ?? 0) > 2;
  });
  expect(Object.keys(await lost())).toEqual(['not_opened']);
  expect(lines.map(({ level, msg }) => [level, msg])).toEqual([['info', 'a replica cannot be reached']]);
  expect((await refused()).unreachable).toBeGreaterThan(0);
});

test('a replica that ends a lane without a word, and one that is silent', async () => {
  const ending = await opened.raw((_call, lane) => void lane.end());
  const silent = await opened.raw(() => undefined);
  const [ended, unheard] = [watched(ending.port), watched(silent.port)];
  const [first, second] = [ended, unheard].map(({ ledger }) => failureOf(ledger.post({}, { retry: false, timeoutMs: 60_000 })));
  expect(await first).toContain('the server has ended it');
  expect(await ended.lost()).toEqual({ ended: 1 });
  expect(await second).toContain('the server has been silent');
  expect(await unheard.lost()).toEqual({ silent: 1 });
  expect([...ended.lines, ...unheard.lines].map(({ loss }) => loss)).toEqual(['ended', 'silent']);
}, 15_000);

test('a lane that a side closes is not lost; one that is cut off with calls under way is', async () => {
  const finish = Promise.withResolvers<object>();
  const begun = Promise.withResolvers<void>();
  const drained = await opened.serve({
    post: () => {
      begun.resolve();
      return finish.promise;
    },
  });
  const other = await opened.serve(numbered(1n));
  const { ledger, lines, lost } = watched(drained.port);
  const left = watched(other.port);
  await ask(left.ledger);
  await left.channel.close();
  const call = ledger.post({}, { retry: false });
  await begun.promise;
  const closing = drained.close();
  finish.resolve({});
  await call;
  await closing;
  expect([await left.lost(), left.lines]).toEqual([{}, []]);
  expect([Object.keys(await lost()).filter((reason) => reason !== 'not_opened'), lines]).toEqual([[], []]);

  const leaving = await opened.raw((_call, lane) => {
    lane.write([newFrame({ kind: FrameKind.GOING_AWAY })], () => void leaving.close());
    return undefined;
  });
  const cut = watched(leaving.port);
  expect(await failureOf(cut.ledger.post({}, { retry: false, timeoutMs: 60_000 }))).toContain('broke after the call had left');
  expect((await cut.lost()).broken).toBe(1);
  expect(cut.lines.map(({ loss }) => loss)).toEqual(['broken']);
});

test('calls that were refused before they left are counted by why', async () => {
  const blocked = blockedPost();
  const server = await opened.serve({ post: blocked.post }, { inFlightMax: 100_000 });
  const { ledger, refused, metrics } = watched(server.port);
  for (const reason of ['too_many', 'too_many_bytes', 'too_large', 'unreachable']) {
    expect(await metrics.metrics()).toMatch(new RegExp(`gerbang_rpc_client_refused_total\\{.*reason="${reason}".*\\} 0`));
  }
  const post = (bytes: number) => ledger.post({ description: 'x'.repeat(bytes) }, { timeoutMs: 60_000 }).catch(() => undefined);
  const large = Array.from({ length: 24 }, () => post(3 * 1024 * 1024));
  expect(await refused()).toEqual({ too_many_bytes: 3 });
  await post(5 * 1024 * 1024);
  expect(await refused()).toEqual({ too_many_bytes: 3, too_large: 1 });
  const small = Array.from({ length: 8_000 }, () => post(0));
  expect(await refused()).toEqual({ too_many_bytes: 3, too_large: 1, too_many: 21 });
  blocked.unblock({});
  await Promise.all([...large, ...small]);
});
