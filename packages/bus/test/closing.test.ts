import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { ClosingStack, within } from '@gerbang/runtime';
import { eventually, testLog } from '@gerbang/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bus, openBus } from '../src/index.ts';
import { openShop, type Shop } from './shop.ts';

/** After it everything comes again anyway. It is long here, so that a slow machine, too, is within half of it. */
const ACK_WAIT_MS = 60_000;
const SOON_MS = ACK_WAIT_MS / 2;
const TIMEOUT_MS = 2 * ACK_WAIT_MS;

const log = testLog();
let shop: Shop;
let closing: ClosingStack;

beforeEach(async () => {
  closing = new ClosingStack(log);
  shop = await openShop({ ackWaitMs: ACK_WAIT_MS });
  closing.push('shop', shop.close);
  await shop.bus.connected();
});
afterEach(() => closing.close());

async function publish(ids: readonly string[], bytes = 1): Promise<void> {
  for (const id of ids) await shop.things.insert(id, 'm1', { n: 1 }, [shop.event('made', bytes)]);
}

async function consumerInfo() {
  const { manager } = await shop.bus.connected();
  return manager.consumers.info('gerbang-shop', 'notifier');
}

/** A consumer whose handler is busy until it is let go; `handed` are the things it was given. */
function startBusy(bus: Bus) {
  const handed: string[] = [];
  const freed = Promise.withResolvers<void>();
  const consumer = shop.startConsumer(async (batches) => {
    handed.push(...batches.map(({ aggregateId }) => aggregateId));
    await freed.promise;
  }, bus);
  closing.push('busy consumer', () => freed.resolve());
  return { handed, letGo: freed.resolve, close: consumer.close };
}

test('what is on its way to a consumer that closes does not wait for the ack wait', { timeout: TIMEOUT_MS }, async () => {
  const ids = Array.from({ length: 100 }, (_, i) => `t${i}`);
  // More than fits into the sockets between the server and us.
  await publish(ids, 200_000);
  const first = shop.startNotifier();
  await eventually('it has begun', () => first.receipts.length > 0);
  await first.close();
  expect(first.receipts.length).toBeLessThan(ids.length);
  const second = shop.startNotifier();
  await eventually('all', () => ids.every((id) => first.received(id) || second.received(id)), SOON_MS);
  await eventually('no message is with anybody', async () => (await consumerInfo()).num_ack_pending === 0, SOON_MS);
});

test('what was not begun goes to another replica while the one that closes is still busy', { timeout: TIMEOUT_MS }, async () => {
  const busy = startBusy(shop.bus);
  await publish(['a']);
  await eventually('it is busy', () => busy.handed.length === 1);
  await publish(['b', 'c', 'd']);
  await eventually('all are with it', async () => (await consumerInfo()).num_ack_pending === 4);
  const closed = busy.close();
  const second = shop.startNotifier();
  await eventually('the others', () => ['b', 'c', 'd'].every(second.received), SOON_MS);
  expect(second.received('a')).toBe(false);
  busy.letGo();
  await closed;
  expect(busy.handed).toEqual(['a']);
  await eventually('no message is with anybody', async () => (await consumerInfo()).num_ack_pending === 0, SOON_MS);
});

test('under a steady flow a consumer follows another one, and every thing is received soon', {
  timeout: TIMEOUT_MS,
}, async () => {
  let flowing = true;
  const ids: string[] = [];
  const flow = (async () => {
    while (flowing) {
      const some = Array.from({ length: 10 }, (_, i) => `t${ids.length + i}`);
      await Promise.all(some.map((id) => publish([id])));
      ids.push(...some);
    }
  })();
  let consumer = shop.startNotifier();
  const received = new Set<string>();
  for (let closings = 0; closings < 5; closings++) {
    await eventually('it receives', () => consumer.receipts.length > 50);
    const next = shop.startNotifier();
    await consumer.close();
    for (const { aggregateId } of consumer.receipts) received.add(aggregateId);
    consumer = next;
  }
  flowing = false;
  await flow;
  await eventually('all', () => ids.every((id) => received.has(id) || consumer.received(id)), SOON_MS);
  await eventually('no message is with anybody', async () => (await consumerInfo()).num_ack_pending === 0, SOON_MS);
});

test.each([
  { what: 'is gone', lose: (way: Way) => way.cut() },
  { what: 'says nothing any more', lose: (way: Way) => way.freeze() },
])('closing does not wait for a NATS that $what', { timeout: TIMEOUT_MS }, async ({ lose }) => {
  const way = await openWay(shop.nats.url);
  closing.push('way', async () => way.cut());
  const bus = openBus({ access: { servers: way.url }, name: 'far', log });
  closing.push('far bus', () => bus.close());
  const busy = startBusy(bus);
  await publish(['a']);
  await eventually('it is busy', () => busy.handed.length === 1);
  lose(way);
  const closed = busy.close();
  busy.letGo();
  await within(SOON_MS, closed);
  expect(busy.handed).toEqual(['a']);
});

type Way = { url: string; freeze(): void; cut(): void };

/** A way to NATS that can be cut, or stop to carry anything. */
async function openWay(url: string): Promise<Way> {
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on('error', () => {});
    sockets.push(near, far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `nats://127.0.0.1:${port}`,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    cut() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
