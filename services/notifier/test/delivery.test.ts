import { createHash, createHmac } from 'node:crypto';
import { DeliveryStatus } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import { currentTraceId, withSpan } from '@gerbang/runtime';
import { eventually } from '@gerbang/testkit';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from './each-test.ts';
import { type Hook, referenceOf, type World } from './world.ts';

const open = forEachTest();
let world: World;

beforeEach(async () => {
  world = await open.world();
});

const sinkFor = (merchantId: string, answer?: Parameters<typeof open.sink>[0]) => open.sinkOf(world, merchantId, answer);

const eventId = (hook: Hook | undefined) => String(hook?.headers['x-event-id']);

/** Written from the contract, without the code under test. */
function expectSigned(hook: Hook, merchantId: string) {
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, inner]) => [key, sorted(inner)]),
          )
        : value;
  const token = String(hook.headers.authorization).replace(/^Bearer /, '');
  const timestamp = String(hook.headers['x-timestamp']);
  const hash = createHash('sha256')
    .update(JSON.stringify(sorted(JSON.parse(hook.text))))
    .digest('hex');
  const signature = createHmac('sha512', `secret-${merchantId}`)
    .update(`POST:${hook.path}:${token}:${hash}:${timestamp}`)
    .digest('hex');
  expect(hook.headers['x-signature']).toBe(signature);
  // What is sent is its own normalized JSON: the bytes as received may be hashed.
  expect(hook.text).toBe(JSON.stringify(sorted(JSON.parse(hook.text))));
  expect(hook.headers['x-partner-id']).toBe(`partner-${merchantId}`);
  expect(hook.headers['content-type']).toBe('application/json');
  expect(hook.headers.accept).toBe('application/json');
  expect(hook.headers['user-agent']).toBe('Gerbang/1.0');
  expect(token.length).toBeGreaterThan(30);
  expect(Math.abs(Number(timestamp) - hook.atMs / 1_000)).toBeLessThan(5);
}

test('an event arrives once, signed, under its URL of that moment; its tail is confirmed; the log has it', async () => {
  const sink = await sinkFor('m1');
  const notifier = await world.startNotifier();
  world.clock.setOffset(3_600_000);
  const reference = await world.finish('m1');
  await eventually('the webhook', () => sink.got.length === 1);
  const [hook] = sink.got;
  if (hook === undefined) throw new Error('no webhook');
  expectSigned(hook, 'm1');
  expect(hook.path).toBe('/hook?x=1&y=%20');
  expect(hook.body).toMatchObject({ response_code: 'SP000', event: 'disbursement' });
  expect(referenceOf(hook)).toBe(`${reference}#1`);

  await eventually('the confirmation', async () => (await world.transfers.find(reference))?.tail.length === 0);
  const events = await world.store.collection<{ _id: string }>('events').find().toArray();
  expect(events.map(({ _id }) => _id)).toEqual([`transfers:${reference}:1`]);

  const log = await eventually('the log', async () => {
    const { deliveries } = await notifier.rpc.listDeliveries({ merchantId: 'm1', limit: 10 });
    return deliveries[0]?.status === DeliveryStatus.DELIVERED && deliveries;
  });
  expect(log).toHaveLength(1);
  expect(log[0]).toMatchObject({ id: eventId(hook), eventId: eventId(hook), event: 'disbursement', url: sink.url });
  expect(log[0]?.attempts).toMatchObject([{ httpStatus: 200, answer: 'noted', error: '' }]);
  expect(log[0]?.nextAttemptAtMs).toBeUndefined();
});

test('a message that comes again is stored and sent once', async () => {
  const sink = await sinkFor('m1');
  const notifier = await world.startNotifier();
  const reference = await world.finish('m1');
  await eventually('the webhook', () => sink.got.length === 1);
  await eventually('the confirmation', async () => (await world.transfers.find(reference))?.tail.length === 0);
  // The same message, which the stream still holds, handed to a new consumer.
  const { manager } = await world.bus.connected();
  await manager.consumers.delete('gerbang-money-out', 'notifier');
  await eventually(
    'the consumer is made anew and has read all',
    async () => {
      const info = await manager.consumers.info('gerbang-money-out', 'notifier').catch(() => undefined);
      return info !== undefined && info.delivered.consumer_seq > 0 && info.num_ack_pending === 0 && info.num_pending === 0;
    },
    15_000,
  );
  expect(await world.stored()).toHaveLength(1);
  expect(sink.got).toHaveLength(1);
  expect((await notifier.rpc.listDeliveries({ merchantId: 'm1' })).deliveries).toHaveLength(1);
});

test('events of one aggregate go out in order, each after the one before is delivered; others do not wait', async () => {
  const sink = await sinkFor('m1', (hook, count) =>
    referenceOf(hook).endsWith('#1') && referenceOf(hook).startsWith('A') && count < 3 ? 503 : 200,
  );
  await world.startNotifier();
  await world.finish('m1', { reference: 'A', ends: 3 });
  await world.finish('m1', { reference: 'B', ends: 2 });
  const received = () => sink.got.map(referenceOf);
  await eventually('those that do not wait', () => received().filter((reference) => reference.startsWith('B')).length === 2);
  expect(received().filter((reference) => reference.startsWith('A'))).toEqual(['A#1']);
  await eventually('all', () => {
    world.clock.setOffset(world.clock.offsetMs() + 1_000);
    return received().includes('A#3');
  });
  expect(received().filter((reference) => reference.startsWith('A'))).toEqual(['A#1', 'A#1', 'A#1', 'A#2', 'A#3']);
  expect(received().filter((reference) => reference.startsWith('B'))).toEqual(['B#1', 'B#2']);
});

test('the schedule runs by the business clock, ends as failed after nine attempts, and lets the successor go', async () => {
  const sink = await sinkFor('m1', (hook) => (referenceOf(hook).endsWith('#1') ? 500 : 200));
  const notifier = await world.startNotifier();
  await world.finish('m1', { reference: 'T', ends: 2 });
  const first = await eventually('the first attempt', () => sink.got[0]);
  const get = async () => (await notifier.rpc.getDelivery({ merchantId: 'm1', id: eventId(first) })).delivery;
  const waitsS = [0.5, 3, 12, 60, 180, 720, 2_160, 4_320];
  for (const [i, waitS] of waitsS.entries()) {
    const pending = await eventually(`the outcome of attempt ${i + 1}`, async () => {
      const delivery = await get();
      return delivery?.attempts.length === i + 1 && delivery;
    });
    const lastMs = Number(pending.attempts.at(-1)?.atMs) + Number(pending.attempts.at(-1)?.durationMs);
    const delayMs = Number(pending.nextAttemptAtMs) - lastMs;
    expect(delayMs).toBeGreaterThanOrEqual(waitS * 900 - 5);
    expect(delayMs).toBeLessThanOrEqual(waitS * 1_100 + 100);
    world.clock.setOffset(world.clock.offsetMs() + Number(pending.nextAttemptAtMs) - world.clock.now());
  }
  const failed = await eventually('failed', async () => {
    const delivery = await get();
    return delivery?.status === DeliveryStatus.FAILED && delivery;
  });
  expect(failed.attempts).toHaveLength(9);
  expect(failed.attempts[0]).toMatchObject({ httpStatus: 500, error: 'HTTP 500' });
  expect(failed.nextAttemptAtMs).toBeUndefined();
  await eventually('the successor', () => sink.got.some((hook) => referenceOf(hook) === 'T#2'));

  const same = sink.got.filter((hook) => eventId(hook) === eventId(first));
  expect(same).toHaveLength(9);
  expect(new Set(same.map(({ text }) => text)).size).toBe(1);
  expect(new Set(same.map(({ headers }) => headers.authorization)).size).toBe(9);
  for (const hook of same) expectSigned(hook, 'm1');
});

test('a redirect is a failed attempt and is not followed', async () => {
  const sink = await sinkFor('m1', (_, count) => (count === 1 ? 302 : 200));
  const notifier = await world.startNotifier();
  await world.finish('m1');
  await eventually('a second attempt', () => sink.got.length === 2);
  expect(sink.got.map(({ path }) => path)).toEqual(['/hook?x=1&y=%20', '/hook?x=1&y=%20']);
  const { delivery } = await notifier.rpc.getDelivery({ merchantId: 'm1', id: eventId(sink.got[0]) });
  expect(delivery?.attempts[0]).toMatchObject({ httpStatus: 302, error: 'redirects are not followed (HTTP 302)' });
});

test('the log keeps no answer of a host that is not on the list', async () => {
  const sink = await sinkFor('m1', () => 400);
  const notifier = await world.startNotifier({ WEBHOOK_ALLOW_HOSTS: 'hooks.example,*.hooks.example' });
  await world.finish('m1');
  const attempt = await eventually('an attempt', async () => {
    const { deliveries } = await notifier.rpc.listDeliveries({ merchantId: 'm1' });
    return deliveries[0]?.attempts[0];
  });
  expect(attempt).toMatchObject({ httpStatus: 400, answer: '', error: 'HTTP 400' });
  expect(sink.got).toHaveLength(1);
});

test('a private target is refused where the installation does not allow it', async () => {
  const sink = await sinkFor('m1');
  const notifier = await world.startNotifier({ WEBHOOK_ALLOW_PRIVATE: 'false' });
  await world.finish('m1');
  const delivery = await eventually('an attempt', async () => {
    const { deliveries } = await notifier.rpc.listDeliveries({ merchantId: 'm1' });
    return deliveries[0]?.attempts.length === 1 && deliveries[0];
  });
  expect(delivery.status).toBe(DeliveryStatus.PENDING);
  expect(delivery.attempts[0]).toMatchObject({ httpStatus: 0, error: 'target refused: the address is not a public one' });
  expect(sink.got).toHaveLength(0);
});

test('events without a webhook and unreadable ones are stored with the reason, confirmed, and delay no others', async () => {
  const sink = await sinkFor('m1');
  world.merchants.set('quiet', { partnerId: 'p', secret: 's', url: () => undefined });
  const { connection, manager } = await world.bus.connected();
  await manager.streams.add({ name: 'gerbang-money-out', subjects: ['gerbang.money-out.>'] });
  for (let i = 0; i < 2; i++) connection.publish('gerbang.money-out.transfers', new Uint8Array([255, 255, 255]));
  const notifier = await world.startNotifier();
  const references = [
    await world.finish('m1', { payload: new Uint8Array([255, 1]) }),
    await world.finish('quiet'),
    await world.finish('unknown'),
    await world.finish('m1'),
  ];
  await eventually('the good one', () => sink.got.length === 1);
  for (const reference of references) {
    await eventually('confirmed', async () => (await world.transfers.find(reference))?.tail.length === 0);
  }
  const stored = await world.stored();
  const statuses = stored.map(({ status, reason }) => [status, reason]).sort();
  expect(statuses).toEqual([
    ['delivered', undefined],
    ['unreadable', expect.any(String)],
    ['unreadable', 'not an event message (gerbang.money-out.transfers)'],
    ['unreadable', 'the merchant is unknown'],
    ['unwanted', undefined],
  ]);
  for (const merchantId of ['quiet', 'unknown']) {
    expect((await notifier.rpc.listDeliveries({ merchantId })).deliveries).toEqual([]);
  }
});

test('the URL is the one set when the event occurred', async () => {
  const [before, after] = [await sinkFor('x'), await sinkFor('x')];
  const changedAtMs = world.clock.now();
  world.merchants.set('m1', { partnerId: 'p', secret: 's', url: (atMs) => (atMs < changedAtMs ? before.url : after.url) });
  await world.startNotifier();
  await world.finish('m1', { reference: 'late', atMs: changedAtMs - 1 });
  await world.finish('m1', { reference: 'new', atMs: changedAtMs });
  await eventually('both', () => before.got.length + after.got.length === 2);
  expect(before.got.map(referenceOf)).toEqual(['late#1']);
  expect(after.got.map(referenceOf)).toEqual(['new#1']);
});

test('a redelivery sends the same again at once; another merchant’s is not found', async () => {
  const sink = await sinkFor('m1', (_, count) => (count === 2 ? 500 : 200));
  const notifier = await world.startNotifier();
  await world.finish('m1');
  await eventually('the webhook', () => sink.got.length === 1);
  const id = eventId(sink.got[0]);
  const get = async () => (await notifier.rpc.getDelivery({ merchantId: 'm1', id })).delivery;
  await eventually('delivered', async () => (await get())?.status === DeliveryStatus.DELIVERED);
  for (const count of [2, 3]) {
    const { delivery } = await notifier.rpc.redeliver({ merchantId: 'm1', id });
    expect(delivery?.id).toBe(id);
    await eventually(`attempt ${count}`, async () => (await get())?.attempts.length === count);
  }
  expect((await get())?.status).toBe(DeliveryStatus.DELIVERED);
  expect((await get())?.attempts.map(({ httpStatus }) => httpStatus)).toEqual([200, 500, 200]);
  expect(new Set(sink.got.map((hook) => `${eventId(hook)} ${hook.text}`)).size).toBe(1);
  for (const other of [
    { merchantId: 'm2', id },
    { merchantId: 'm1', id: 'nonsense' },
  ]) {
    await expect(notifier.rpc.getDelivery(other)).rejects.toMatchObject({ refusal: { refused: 'transaction_not_found' } });
    await expect(notifier.rpc.redeliver(other)).rejects.toMatchObject({ refusal: { refused: 'transaction_not_found' } });
  }
});

test('the log is listed newest first, by page, status and time', async () => {
  await sinkFor('m1', (hook) => (referenceOf(hook).startsWith('bad') ? 500 : 200));
  const notifier = await world.startNotifier();
  const startMs = world.clock.now() - 10_000;
  for (let i = 0; i < 5; i++)
    await world.finish('m1', { reference: `${i === 2 ? 'bad' : 'good'}${i}`, atMs: startMs + i * 1_000 });
  const list = (more = {}) => notifier.rpc.listDeliveries({ merchantId: 'm1', ...more });
  await eventually('all', async () => (await list({ status: DeliveryStatus.DELIVERED })).deliveries.length === 4);
  const times = (deliveries: { createdAtMs: bigint }[]) => deliveries.map(({ createdAtMs }) => Number(createdAtMs) - startMs);
  const first = await list({ limit: 2 });
  expect(times(first.deliveries)).toEqual([4_000, 3_000]);
  const second = await list({ limit: 3, cursor: first.nextCursor });
  expect(times(second.deliveries)).toEqual([2_000, 1_000, 0]);
  expect(second.nextCursor).toBe('');
  expect(times((await list({ status: DeliveryStatus.PENDING })).deliveries)).toEqual([2_000]);
  const between = await list({ fromMs: BigInt(startMs + 1_000), toMs: BigInt(startMs + 3_000) });
  expect(times(between.deliveries)).toEqual([3_000, 2_000, 1_000]);
  await expect(list({ cursor: 'nonsense' })).rejects.toMatchObject({ refusal: { refused: 'validation' } });
  expect((await notifier.rpc.listDeliveries({ merchantId: 'm2' })).deliveries).toEqual([]);
});

test('an endless or huge answer delays nothing and is kept to one KiB', async () => {
  const sink = await sinkFor('m1', (_, _count, response) => {
    response.writeHead(200);
    response.write('é'.repeat(100_000));
    return 'taken';
  });
  const notifier = await world.startNotifier();
  await world.finish('m1');
  await eventually('the webhook', () => sink.got.length === 1);
  const delivery = await eventually('delivered', async () => {
    const found = (await notifier.rpc.getDelivery({ merchantId: 'm1', id: eventId(sink.got[0]) })).delivery;
    return found?.status === DeliveryStatus.DELIVERED && found;
  });
  expect(delivery.attempts[0]?.answer).toBe('é'.repeat(512));
});

test('an answer that drips is cut off after its status', async () => {
  const timers: NodeJS.Timeout[] = [];
  const sink = await sinkFor('m1', (_, _count, response) => {
    response.writeHead(200);
    timers.push(setInterval(() => response.write('.'), 50));
    return 'taken';
  });
  const notifier = await world.startNotifier();
  await world.finish('m1');
  await eventually('the webhook', () => sink.got.length === 1);
  const delivery = await eventually('delivered', async () => {
    const found = (await notifier.rpc.getDelivery({ merchantId: 'm1', id: eventId(sink.got[0]) })).delivery;
    return found?.status === DeliveryStatus.DELIVERED && found;
  });
  for (const timer of timers) clearInterval(timer);
  expect(delivery.attempts[0]?.durationMs).toBeLessThan(3_000);
  expect(delivery.attempts[0]?.answer).toMatch(/^\.+$/);
});

test('an endpoint that never answers delays no other merchant, and its attempt ends after 10 s', async () => {
  const dead = await sinkFor('dead', () => new Promise<number>(() => {}));
  const healthy = await sinkFor('healthy');
  const notifier = await world.startNotifier();
  const attemptsAtDead = async () => {
    const { deliveries } = await notifier.rpc.listDeliveries({ merchantId: 'dead', limit: 40 });
    return deliveries.flatMap(({ attempts }) => attempts);
  };
  for (let i = 0; i < 40; i++) await world.finish('dead');
  await eventually('the dead one has all it may have', () => dead.got.length === 2);
  for (let i = 0; i < 20; i++) await world.finish('healthy');
  await eventually('the healthy one has all', () => healthy.got.length === 20);
  expect(dead.got).toHaveLength(2);
  expect(await attemptsAtDead(), 'every attempt at the dead one still waits').toEqual([]);
  const attempt = await eventually('the end of an attempt', async () => (await attemptsAtDead())[0], 15_000);
  expect(attempt).toMatchObject({ httpStatus: 0, error: 'no answer within 10 s' });
  expect(attempt.durationMs).toBeGreaterThan(9_900);
  expect(attempt.durationMs).toBeLessThan(11_000);
  await dead.close();
}, 30_000);

test('one trace leads from the request to the webhook; no log line has a secret, a signature or a body', async () => {
  const sink = await sinkFor('m1', (_, count) => (count === 1 ? 500 : 200));
  const lines: string[] = [];
  await world.startNotifier({}, { write: (line) => lines.push(line) });
  let traceId = '';
  const reference = await withSpan('request', {}, async () => {
    traceId = currentTraceId();
    return world.finish('m1');
  });
  const delivered = await eventually('the line', () => lines.find((line) => line.includes('"delivered"')));
  expect(traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(JSON.parse(delivered)).toMatchObject({ trace_id: traceId, event_id: eventId(sink.got[0]), merchant_id: 'm1' });
  const failed = lines.find((line) => line.includes('"attempt failed"'));
  expect(JSON.parse(String(failed))).toMatchObject({ trace_id: traceId, http_status: 500 });
  const all = lines.join('');
  const headers = sink.got[0]?.headers;
  for (const secret of [
    'secret-m1',
    String(headers?.['x-signature']),
    String(headers?.authorization).slice(7),
    `${reference}#1`,
    sink.url,
  ]) {
    expect(all).not.toContain(secret);
  }
});

test('an advance of the clock is followed within 2 s, and the metrics show it', async () => {
  const sink = await sinkFor('m1', () => 500);
  const notifier = await world.startNotifier();
  await world.finish('m1');
  const attempts = async () => (await notifier.rpc.listDeliveries({ merchantId: 'm1' })).deliveries[0]?.attempts.length;
  await eventually('the first', async () => (await attempts()) === 1);
  world.clock.setOffset(3_600_000);
  await eventually('the second', async () => (await attempts()) === 2, 2_000);
  const metrics = await (await fetch(`http://127.0.0.1:${notifier.adminPort}/metrics`)).text();
  expect(metrics).toMatch(/gerbang_events_stored_total\{source="money-out",fate="webhook",service="notifier"\} 1/);
  expect(metrics).toMatch(/gerbang_webhook_attempts_total\{outcome="refused",service="notifier"\} 2/);
  expect(metrics).toMatch(/gerbang_webhook_backlog\{service="notifier"\} 1/);
  const endpoint = `merchant_id="m1",endpoint="${new URL(sink.url).origin}"`;
  for (const [name, labels, value] of [
    ['success_ratio', endpoint, '0'],
    ['attempt_seconds', `${endpoint},quantile="0.99"`, '0\\.[0-9]+'],
    ['backlog', endpoint, '1'],
    ['overdue_seconds', endpoint, '0'],
  ]) {
    expect(metrics).toMatch(new RegExp(`gerbang_webhook_endpoint_${name}\\{${labels},service="notifier"\\} ${value}\n`));
  }
});
