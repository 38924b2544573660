import type { Logger } from '@gerbang/runtime';
import { eventually, failCommand, testLog } from '@gerbang/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openShop, type Shop, THINGS } from './shop.ts';

let shop: Shop;

beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop?.close());

/** Things that were written, and nothing of them published. */
async function writeUnseen(count: number, prefix = 'u'): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  for (let i = 0; i < count; i += 100)
    await Promise.all(ids.slice(i, i + 100).map((id) => shop.silent.insert(id, 'm1', { n: 1 }, [shop.event('made')])));
  return ids;
}

/** As if the time until a tail counts as overdue had gone by. */
const becomeOverdue = () => shop.clock.setOffset(shop.clock.offsetMs() + 10_000);
const messagesInStream = async () => {
  const { manager } = await shop.bus.connected();
  return (await manager.streams.info('gerbang-shop')).state.messages;
};

test('a backlog drains as fast as it is confirmed, each tail published once, the oldest first', async () => {
  const ids = await writeUnseen(3_000);
  becomeOverdue();
  const { receipts } = shop.startNotifier();
  await eventually('everything is confirmed', async () => (await shop.unconfirmed()) === 0, 20_000);
  expect(new Set(receipts.map(({ aggregateId }) => aggregateId)).size).toBe(3_000);
  expect(await messagesInStream()).toBe(3_000);
  const order = receipts.map(({ aggregateId }) => ids.indexOf(aggregateId));
  // Writes of a hundred at once have no order among themselves.
  expect(Math.max(...order.slice(0, 500))).toBeLessThan(1_000);
}, 40_000);

test('two replicas do not both publish a backlog; the second takes over when the first ends', async () => {
  await writeUnseen(1_000);
  becomeOverdue();
  shop.startNotifier();
  const second = shop.openRelay();
  second.serve(THINGS);
  await eventually('everything is confirmed', async () => (await shop.unconfirmed()) === 0, 20_000);
  expect(await messagesInStream()).toBe(1_000);
  await shop.relay.close();
  await writeUnseen(10, 'later');
  becomeOverdue();
  await eventually('the second goes on', async () => (await shop.unconfirmed()) === 0);
  expect(await messagesInStream()).toBe(1_010);
}, 40_000);

test('tails that are never confirmed keep neither others of their kind waiting nor another kind', async () => {
  await writeUnseen(1_200, 'stuck');
  becomeOverdue();
  const { received } = shop.startNotifier((id) => !id.startsWith('stuck'));
  await eventually('all of them have come', () => received('stuck1199'), 20_000);
  await writeUnseen(1, 'healthy');
  await shop.others.insert('other', 'm1', { n: 1 }, [shop.event('made')]);
  becomeOverdue();
  await eventually('the healthy ones arrive', () => received('healthy0') && received('other'));
}, 40_000);

test('without a notifier neither the stream nor the memory grows with what is written', async () => {
  const document = await shop.things.insert('a', 'm1', { n: 1 }, [shop.event('made')]);
  if (document === undefined) throw new Error('a is taken');
  await eventually('the stream is there', async () => (await messagesInStream()) > 0);
  for (let i = 0; i < 30; i++) {
    for (let j = 0; j < 200; j++) shop.relay.afterWrite('things', document);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const published = await messagesInStream();
  expect(published).toBeLessThan(6_000);
  for (let j = 0; j < 200; j++) shop.relay.afterWrite('things', document);
  expect(await messagesInStream()).toBe(published);
  await writeUnseen(1_000);
  becomeOverdue();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await messagesInStream()).toBe(published);
  const { receipts } = shop.startNotifier();
  await eventually('everything is confirmed', async () => (await shop.unconfirmed()) === 0, 20_000);
  expect(receipts.length).toBeGreaterThan(1_000);
}, 40_000);

test('a tail too large for one message goes in parts', async () => {
  const { receipts } = shop.startNotifier();
  const events = Array.from({ length: 8 }, () => shop.event('made', 200_000));
  await shop.things.insert('large', 'm1', { n: 1 }, events);
  becomeOverdue();
  await eventually('all is confirmed', async () => (await shop.unconfirmed()) === 0, 30_000);
  expect(receipts.every(({ seqs }) => seqs.length === 1)).toBe(true);
  expect(new Set(receipts.flatMap(({ seqs }) => seqs))).toEqual(new Set([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]));
}, 40_000);

test('operators are alerted when the lease of the sweep cannot be taken, and when it can again', async () => {
  const alerts: unknown[] = [];
  const note = (fields: unknown) => {
    if (typeof fields === 'object' && fields !== null && 'alert' in fields) alerts.push(fields.alert);
  };
  const log: Logger = Object.assign(testLog(), { error: note, info: note });
  const watched = await openShop({ log, stalledAfterMs: 600 });
  try {
    await watched.silent.insert('unseen', 'm1', { n: 1 }, [watched.event('made')]);
    const failing = await failCommand(watched.mongoUri, 'alwaysOn', { failCommands: ['update'], errorCode: 224 });
    watched.clock.setOffset(watched.clock.offsetMs() + 10_000);
    await eventually('somebody is alerted', () => alerts.includes('event_sweep_stalled'));
    const { received } = watched.startNotifier();
    await failing.off();
    await eventually('the event arrives', () => received('unseen'));
    await eventually('they hear that it is over', () => alerts.includes('event_sweep_recovered'));
  } finally {
    await watched.close();
  }
}, 40_000);
