import { failCommand } from '@gerbang/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openShop, type Shop } from './shop.ts';

let shop: Shop;

beforeEach(async () => {
  shop = await openShop();
  // What is written before NATS is reached is left to the sweep.
  await shop.bus.connected();
});
afterEach(() => shop?.close());

const made = (...types: string[]) => types.map((type) => shop.event(type));
const confirm = (...upTo: [aggregateId: string, upToSeq: bigint][]) =>
  shop.source.confirm({
    confirmations: upTo.map(([aggregateId, upToSeq]) => ({ aggregateType: 'things', aggregateId, upToSeq })),
  });
const tailOf = async (id: string) => (await shop.things.find(id))?.tail.map(({ event }) => event);
/** The timeline of all things, in the order of their ids. */
async function timeline() {
  const events = shop.store.collection<{ _id: string; event: string; merchant_id: string; seq: bigint }>('events');
  const found = await events.find({}, { sort: { _id: 1 } }).toArray();
  return found.map(({ _id, event, merchant_id, seq }) => [_id, event, merchant_id, seq]);
}

test('what this process has just written is confirmed without reading it', async () => {
  await shop.things.insert('a', 'm1', { n: 1 }, made('one', 'two'));
  await shop.things.insert('b', 'm2', { n: 1 }, made('one'));
  await using _ = await failCommand(shop.mongoUri, { times: 2 }, { failCommands: ['find'], errorCode: 1 });
  await confirm(['a', 2n], ['b', 1n]);
  await expect(shop.things.find('a')).rejects.toThrow();
  await expect(shop.things.find('b')).rejects.toThrow();
  expect(await timeline()).toEqual([
    ['things:a:1', 'one', 'm1', 1n],
    ['things:a:2', 'two', 'm1', 2n],
    ['things:b:1', 'one', 'm2', 1n],
  ]);
  expect([await tailOf('a'), await tailOf('b')]).toEqual([[], []]);
});

test('what another replica has written since is confirmed with it, and what is not confirmed stays', async () => {
  const here = await shop.things.insert('a', 'm1', { n: 1 }, made('one'));
  if (here === undefined) throw new Error('a is taken');
  const there = await shop.silent.change(here, { set: { n: 2 }, events: made('two', 'three') });
  expect(there?.last_seq).toBe(3n);
  await confirm(['a', 2n]);
  expect((await timeline()).map(([id]) => id)).toEqual(['things:a:1', 'things:a:2']);
  expect(await tailOf('a')).toEqual(['three']);
  await confirm(['a', 1n]);
  expect(await tailOf('a')).toEqual(['three']);
});

test('a tail known to its end is confirmed as far as the notifier says', async () => {
  await shop.things.insert('a', 'm1', { n: 1 }, made('one', 'two'));
  await confirm(['a', 1n]);
  expect(await tailOf('a')).toEqual(['two']);
  await confirm(['a', 2n], ['unknown', 5n]);
  expect(await tailOf('a')).toEqual([]);
  expect((await timeline()).map(([id]) => id)).toEqual(['things:a:1', 'things:a:2']);
});

test('aggregates with as many events as others keep those that are theirs alone', async () => {
  for (const id of ['a', 'b', 'c']) await shop.things.insert(id, 'm1', { n: 1 }, made('one', 'two', 'three'));
  await confirm(['a', 1n], ['b', 3n], ['c', 1n]);
  expect([await tailOf('a'), await tailOf('b'), await tailOf('c')]).toEqual([['two', 'three'], [], ['two', 'three']]);
});

test.each([
  { what: 'copying', failCommands: ['insert'] },
  { what: 'pulling', failCommands: ['update'] },
])('a confirmation that is cut off in $what is made by the next one', async ({ failCommands }) => {
  await shop.things.insert('a', 'm1', { n: 1 }, made('one', 'two'));
  {
    await using _ = await failCommand(shop.mongoUri, { times: 2 }, { failCommands, closeConnection: true });
    await expect(confirm(['a', 2n])).rejects.toThrow();
  }
  expect(await tailOf('a')).toEqual(['one', 'two']);
  await confirm(['a', 2n]);
  expect(await tailOf('a')).toEqual([]);
  expect((await timeline()).map(([id]) => id)).toEqual(['things:a:1', 'things:a:2']);
});
