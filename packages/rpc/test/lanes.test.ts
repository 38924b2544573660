import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError, refuse } from '@gerbang/core';
import { eventually, freePort } from '@gerbang/testkit';
import { afterAll, expect, test } from 'vitest';
import { blockedPost, Opened, refusalOf } from './harness.ts';

const opened = new Opened();
afterAll(() => opened.close());

/** Larger than any chunk, smaller than what is allowed. */
const LARGE = 'x'.repeat(3 * 1024 * 1024);
const TOO_LARGE = 'x'.repeat(5 * 1024 * 1024);

/** What a call came to: done, or why not. */
function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error: unknown) => String(error instanceof Error ? error.cause : error),
  );
}

test('calls of one turn travel together and each gets its own answer', async () => {
  const server = await opened.serve({ post: async ({ amountSen }) => ({ availableAfterSen: amountSen * 2n }) });
  const ledger = opened.ledger(server.port);
  const answers = await Promise.all(Array.from({ length: 2_000 }, (_, i) => ledger.post({ amountSen: BigInt(i) })));
  expect(answers.map(({ availableAfterSen }) => availableAfterSen)).toEqual(
    Array.from({ length: 2_000 }, (_, i) => BigInt(i * 2)),
  );
});

test('a batch of many calls is handled in their order and holds up no other caller', async () => {
  const order: string[] = [];
  const server = await opened.serve({
    getBalance: async ({ accountId }) => {
      order.push(accountId);
      return {};
    },
  });
  const [many, one] = [opened.ledger(server.port), opened.ledger(server.port)];
  await Promise.all([many.getBalance({ accountId: 'a' }), one.getBalance({ accountId: 'b' })]);
  order.length = 0;
  const names = Array.from({ length: 500 }, (_, i) => `many-${i}`);
  const [first, ...others] = names.map((accountId) => many.getBalance({ accountId }));
  await first;
  expect(order.length).toBeLessThan(names.length);
  await Promise.all([one.getBalance({ accountId: 'one' }), ...others]);
  expect(order.filter((name) => name !== 'one')).toEqual(names);
  expect(order.indexOf('one')).toBeLessThan(names.length);
});

test('a large request holds up no other', async () => {
  const order: string[] = [];
  const server = await opened.serve({
    post: async ({ description }) => {
      order.push(description.length > 100 ? 'large' : 'small');
      return { availableAfterSen: BigInt(description.length) };
    },
  });
  const ledger = opened.ledger(server.port);
  await ledger.post({ description: 'the lane is open' });
  const large = ledger.post({ description: LARGE });
  const small = ledger.post({ description: 'small' });
  expect((await large).availableAfterSen).toBe(BigInt(LARGE.length));
  await small;
  expect(order).toEqual(['small', 'small', 'large']);
});

test('a large answer holds up no other', async () => {
  const large = Promise.withResolvers<void>();
  const server = await opened.serve({
    verify: async () => {
      large.resolve();
      return { differences: [LARGE] };
    },
    getBalance: async () => {
      await large.promise;
      return {};
    },
  });
  const ledger = opened.ledger(server.port);
  const order: string[] = [];
  const waiting = ledger.getBalance({}).then(() => order.push('small'));
  const { differences } = await ledger.verify({});
  order.push('large');
  await waiting;
  expect(differences[0]).toBe(LARGE);
  expect(order).toEqual(['small', 'large']);
});

test('what is too large is refused on either way, and the lane goes on', async () => {
  const server = await opened.serve({ verify: async () => ({ differences: [TOO_LARGE] }), post: async () => ({}) });
  const ledger = opened.ledger(server.port);
  for (const call of [ledger.post({ description: TOO_LARGE }), ledger.verify({})]) {
    const { refused, cause } = await refusalOf(call);
    expect(refused).toBe('internal');
    expect(cause).toContain('RESOURCE_EXHAUSTED');
  }
  await ledger.post({});
});

test('a refusal of a call whose request is still coming ends it', async () => {
  const { post, unblock } = blockedPost();
  const server = await opened.serve({ post }, { inFlightMax: 1 });
  const ledger = opened.ledger(server.port);
  const first = ledger.post({});
  expect((await refusalOf(ledger.post({ description: LARGE }))).cause).toContain('RESOURCE_EXHAUSTED');
  unblock({});
  await first;
});

test('calls beyond the bound are refused at once and not tried again; room that is free again is used', async () => {
  const { post, begun, unblock } = blockedPost();
  const server = await opened.serve({ post }, { inFlightMax: 10 });
  const ledger = opened.ledger(server.port);
  const failures: Promise<{ refused: string; cause: string }>[] = [];
  const calls = Array.from({ length: 20 }, () => ledger.post({}));
  let done = 0;
  for (const call of calls) failures.push(refusalOf(call.then(() => done++)).catch(() => ({ refused: '', cause: '' })));
  await eventually('the server is full', () => begun() === 8);
  // One caller leaves room for another, however much it sends.
  const other = opened.ledger(server.port).post({});
  await eventually('the other one has begun', () => begun() === 9);
  unblock({});
  await other;
  const refused = (await Promise.all(failures)).filter(({ refused }) => refused !== '');
  expect(done).toBe(8);
  expect(refused).toHaveLength(12);
  for (const { refused: code, cause } of refused) {
    expect(code).toBe('overloaded');
    expect(cause).toContain('RESOURCE_EXHAUSTED');
  }
  await ledger.post({});
});

test('a service whose own call was refused as one too many does not say that nothing was done', async () => {
  const behind = await opened.serve({
    post: async () => {
      throw new RefusalError(refuse('overloaded', { retryAfterMs: 2_000 }));
    },
  });
  const error: unknown = await opened
    .ledger(behind.port)
    .post({}, { retry: false })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ refusal: { refused: 'unavailable', retryAfterMs: 2_000 } });
});

test('a place is taken until the handler has ended, also when its caller has long gone', async () => {
  const blocked = Promise.withResolvers<object>();
  let cancelled = 0;
  const server = await opened.serve(
    {
      post: (_request, { signal }) => {
        signal.addEventListener('abort', () => cancelled++);
        return blocked.promise;
      },
      verify: async () => ({}),
    },
    { inFlightMax: 2 },
  );
  const ledger = opened.ledger(server.port);
  await ledger.verify({});
  expect((await refusalOf(ledger.post({}, { timeoutMs: 300 }))).refused).toBe('timeout');
  await eventually('the handler was told', () => cancelled === 1);
  const second = ledger.post({});
  await eventually('there is no room', async () =>
    (await refusalOf(ledger.post({}, { timeoutMs: 100 }))).cause.includes('RESOURCE_EXHAUSTED'),
  );
  blocked.resolve({});
  await second;
  await ledger.post({});
});

test('a caller that starts more than it may is told so at once', async () => {
  const { post, unblock } = blockedPost();
  const server = await opened.serve({ post }, { inFlightMax: 100_000 });
  const ledger = opened.ledger(server.port);
  const calls = Array.from({ length: 8_010 }, () => outcomeOf(ledger.post({})));
  const beyond = await Promise.all(calls.slice(8_000));
  for (const answer of beyond) expect(answer).toContain('too many calls are under way');
  unblock({});
  expect(new Set(await Promise.all(calls.slice(0, 8_000)))).toEqual(new Set(['done']));
});

test('deadlines of many calls end each in its own time', async () => {
  const ended: number[] = [];
  const server = await opened.serve({
    post: ({ amountSen }, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended.push(Number(amountSen));
          reject(new Error('aborted'));
        });
      }),
    verify: async () => ({}),
  });
  const ledger = opened.ledger(server.port);
  await ledger.verify({});
  const order: number[] = [];
  await Promise.all(
    [2_000, 300, 1_000].map(async (timeoutMs) => {
      expect((await refusalOf(ledger.post({ amountSen: BigInt(timeoutMs) }, { timeoutMs }))).refused).toBe('timeout');
      order.push(timeoutMs);
    }),
  );
  expect(order).toEqual([300, 1_000, 2_000]);
  await eventually('all handlers were told', () => ended.length === 3);
});

test('a deadline may be as far off as one likes', async () => {
  const { post, unblock } = blockedPost();
  const server = await opened.serve({ post, verify: async () => ({}) });
  const ledger = opened.ledger(server.port);
  const waiting = [Number.POSITIVE_INFINITY, 2 ** 40].map((timeoutMs) => ledger.post({}, { timeoutMs }));
  for (let i = 0; i < 20; i++) await ledger.verify({});
  unblock({ availableAfterSen: 1n });
  for (const { availableAfterSen } of await Promise.all(waiting)) expect(availableAfterSen).toBe(1n);
});

test('a call that is given up before it has left never arrives, with a lane and without', async () => {
  const begun: string[] = [];
  const handlers = {
    post: async ({ postingKey }: { postingKey: string }) => {
      begun.push(postingKey);
      return {};
    },
  };
  const port = await freePort();
  const ledger = opened.ledger(port);
  const give = (postingKey: string, signal: AbortSignal) => refusalOf(ledger.post({ postingKey }, { signal }));
  const early = new AbortController();
  const waiting = give('there is no server', early.signal);
  early.abort();
  expect((await waiting).refused).toBe('timeout');
  await opened.serve(handlers, { port });
  await ledger.post({ postingKey: 'the lane is open' });
  const late = new AbortController();
  const given = [give('long aborted', AbortSignal.abort()), give('aborted in the same turn', late.signal)];
  late.abort();
  for (const call of given) expect((await call).refused).toBe('timeout');
  await ledger.post({ postingKey: 'the lane goes on' });
  expect(begun).toEqual(['the lane is open', 'the lane goes on']);
});

test('a call that is given up while its request is still leaving frees its place', async () => {
  const server = await opened.serve({ verify: async () => ({}), post: async () => ({}) }, { inFlightMax: 1 });
  const ledger = opened.ledger(server.port);
  await ledger.verify({});
  const controller = new AbortController();
  const large = refusalOf(ledger.post({ description: LARGE }, { signal: controller.signal, timeoutMs: 60_000 }));
  // Its first part has left by then.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  controller.abort();
  expect((await large).refused).toBe('timeout');
  await eventually('there is room again', () => ledger.verify({}).catch(() => undefined));
});

test('requests of more bytes than may wait are refused before they leave', async () => {
  const { post, unblock } = blockedPost();
  const server = await opened.serve({ post });
  const ledger = opened.ledger(server.port);
  const calls = Array.from({ length: 22 }, () => outcomeOf(ledger.post({ description: LARGE }, { timeoutMs: 60_000 })));
  expect(await calls[21]).toContain('too many calls are under way');
  unblock({});
  expect(new Set(await Promise.all(calls.slice(0, 21)))).toEqual(new Set(['done']));
});

test('a call may take longer than a lane may be silent, as long as the server answers that it is there', async () => {
  const server = await opened.serve({
    post: async () => {
      await sleep(7_500);
      return { availableAfterSen: 1n };
    },
  });
  const ledger = opened.ledger(server.port);
  expect((await ledger.post({}, { retry: false, timeoutMs: 15_000 })).availableAfterSen).toBe(1n);
});
