import { startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Aggregates, connectStore, openAggregates, type Store } from '../src/index.ts';

type State = { color: string; note?: string };

let mongo: TestMongo;
let store: Store;
let things: Aggregates<State, string>;
const announced: string[] = [];

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}aggregates`, appName: 'test' });
  things = await openAggregates<State, string>(store, 'things', {
    schema: 1,
    afterWrite: (_type, document) => announced.push(document._id),
  });
});

afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

const event = (type: string) => ({ type, schema: 1, payload: new Uint8Array([1, 2, 3]), atMs: 1_000 });

async function insert(id: string, state: State = { color: 'red' }, events: ReturnType<typeof event>[] = []) {
  const document = await things.insert(id, 'merchant', state, events);
  if (document === undefined) throw new Error(`${id} is taken`);
  return document;
}

test('state and events are one write, numbered without gaps', async () => {
  const one = await insert('a', { color: 'red' }, [event('painted')]);
  const two = await things.change(one, { set: { color: 'blue' }, events: [event('painted'), event('dried')] });
  expect(two).toMatchObject({ color: 'blue', version: 2n, last_seq: 3n });
  const found = await things.find('a', { linearizable: true });
  expect(found?.tail.map(({ seq, event: type }) => [seq, type])).toEqual([
    [1n, 'painted'],
    [2n, 'painted'],
    [3n, 'dried'],
  ]);
  expect(found?.tail[0]?.payload.value()).toEqual(Buffer.from([1, 2, 3]));
  expect(announced.filter((id) => id === 'a')).toHaveLength(2);
});

test('of two changes decided on one version, one is written', async () => {
  const document = await insert('b');
  const both = await Promise.all(
    ['blue', 'green'].map((color) => things.change(document, { set: { color }, events: [event('painted')] })),
  );
  expect(both.filter((changed) => changed !== undefined)).toHaveLength(1);
  expect((await things.find('b'))?.tail).toHaveLength(1);
});

test('of many changed at once, those that have moved on stay as they are', async () => {
  const [moved, still] = [await insert('many-moved'), await insert('many-still')];
  await things.change(moved, { set: { color: 'green' } });
  const paint = { set: { color: 'blue' }, events: [event('painted')] };
  const changed = await Promise.all([moved, still].map((current) => things.change(current, paint)));
  expect(changed.map((document) => document?.color)).toEqual([undefined, 'blue']);
  expect(await things.find('many-moved')).toMatchObject({ color: 'green', version: 2n, tail: [] });
  expect(await things.find('many-still')).toMatchObject({ color: 'blue', version: 2n, tail: [{ event: 'painted' }] });
  expect(announced.filter((id) => id.startsWith('many-'))).toEqual(['many-still']);
});

test('an id is taken once', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => things.insert('c', 'merchant', { color: 'red' }, [])));
  expect(all.filter((document) => document !== undefined)).toHaveLength(1);
});

test('fields are removed, and a quiet change is not announced', async () => {
  const document = await insert('d', { color: 'red', note: 'wet' });
  const changed = await things.change(document, { set: {}, unset: ['note'], events: [event('dried')], quiet: true });
  expect(changed).not.toHaveProperty('note');
  expect(announced).not.toContain('d');
});

test('a decision on a removed aggregate touches no successor', async () => {
  const first = await insert('e');
  expect(await things.removeUnannounced(first)).toBe(true);
  await insert('e', { color: 'green' });
  expect(await things.removeUnannounced(first)).toBe(false);
  expect(await things.change(first, { set: { color: 'blue' } })).toBeUndefined();
  expect((await things.find('e'))?.color).toBe('green');
});

test('what has been announced is never removed', async () => {
  const document = await insert('f', { color: 'red' }, [event('painted')]);
  expect(await things.removeUnannounced(document)).toBe(false);
});

test('sen are bigint over the whole range', async () => {
  const amounts = store.collection<{ _id: string; sen: bigint }>('amounts');
  for (const sen of [0n, 1n, 9_007_199_254_740_993n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n]) {
    await amounts.replaceOne({ _id: 'x' }, { sen }, { upsert: true });
    expect((await amounts.findOne({ _id: 'x' }))?.sen).toBe(sen);
  }
});

test('a document of an older schema is read in the current one and written whole; a newer one is left alone', async () => {
  await insert('g', { color: 'red', note: 'wet' });
  const later = await openAggregates<{ paint: string; note?: string }, string>(store, 'things', {
    schema: 2,
    upcasters: [({ color, ...rest }) => ({ ...rest, paint: color })],
  });
  const lifted = await later.find('g');
  if (lifted === undefined) throw new Error('g is not there');
  expect(lifted).toMatchObject({ paint: 'red', note: 'wet', schema: 1 });
  await later.change(lifted, { set: { note: 'dry' } });
  expect(await later.find('g')).toMatchObject({ paint: 'red', note: 'dry', schema: 2 });
  await expect(things.find('g')).rejects.toThrow('schema 2');
});

test('a creation that comes again gives what is there, as it now stands', async () => {
  const first = await things.insertOrFind('once', 'merchant', { color: 'red' }, []);
  expect(first.created).toBe(true);
  await things.change(first.document, { set: { color: 'blue' } });
  const second = await things.insertOrFind('once', 'merchant', { color: 'red' }, []);
  expect(second).toMatchObject({ created: false, document: { color: 'blue', version: 2n } });
});

test('what a list finds is in the current schema, in the order that is asked for', async () => {
  await insert('listed-1', { color: 'listed' });
  await insert('listed-2', { color: 'listed' });
  const newer = await openAggregates<State, string>(store, 'things', {
    schema: 2,
    upcasters: [(old) => ({ ...old, note: 'lifted' })],
  });
  const filter = { _id: { $in: ['listed-1', 'listed-2'] } };
  expect((await newer.list(filter, { sort: { _id: -1 }, limit: 1 })).map(({ _id, note }) => [_id, note])).toEqual([
    ['listed-2', 'lifted'],
  ]);
  expect(await newer.findOne({ _id: 'listed-1' })).toMatchObject({ note: 'lifted' });
  expect(await newer.findOne({ _id: 'nobody' })).toBeUndefined();
});
