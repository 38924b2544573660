import { parseKeyRing } from '@gerbang/core';
import { createKeys, type Keys, openEnvKeys, prepaidToken } from '@gerbang/keys';
import { connectStore, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlaceWalk, walkOf } from '../src/keys.ts';

type Purchase = { _id: string; token?: string; other: number };

let mongo: TestMongo;
let store: Store;
let places = 0;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}sealed`, appName: 'test' });
});
afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

function keysOf(...kids: string[]): Keys<'prepaid-token'> {
  const text = kids.map((kid) => `${kid}:${Buffer.alloc(32, kid).toString('base64')}`).join(',');
  return createKeys(['prepaid-token'], [openEnvKeys(parseKeyRing(text) ?? expect.fail('no key ring'))]);
}

/** A collection of purchases with tokens under the key "old", every third without one. */
async function newPlace(count: number) {
  const collection = `purchases${++places}`;
  const old = keysOf('old');
  const documents = await Promise.all(
    Array.from({ length: count }, async (_, i): Promise<Purchase> => {
      const _id = `r-${String(i).padStart(5, '0')}`;
      return { _id, other: 0, ...(i % 3 !== 0 && { token: await old.seal(prepaidToken(_id), `token of ${_id}`) }) };
    }),
  );
  const purchases = store.collection<Purchase>(collection);
  await purchases.insertMany(documents);
  const walk = (keys: Keys<'prepaid-token'>) =>
    walkOf(
      { store, keys, log: testLog() },
      {
        collection,
        purpose: 'prepaid-token',
        paths: ['token'],
        fieldsOf: ({ _id, token }: Purchase) =>
          token === undefined ? [] : [{ path: 'token', sealed: token, secret: prepaidToken(_id) }],
      },
    );
  return { purchases, walk };
}

const withTokens = async (purchases: ReturnType<typeof store.collection<Purchase>>) =>
  (await purchases.find().toArray()).filter(({ token }) => token !== undefined);

async function countsOf(walk: PlaceWalk): Promise<Record<string, number>> {
  const all: Record<string, number> = {};
  let after = '';
  do {
    const { counts, next } = await walk.count(after);
    for (const [kid, count] of counts) all[kid] = (all[kid] ?? 0) + count;
    after = next;
  } while (after !== '');
  return all;
}

async function resealAll(walk: PlaceWalk): Promise<void> {
  let after = '';
  do {
    after = (await walk.reseal(after)).next;
  } while (after !== '');
}

test('is sealed again page by page; a walk that was stopped goes on where it was', async () => {
  const { purchases, walk } = await newPlace(1_200);
  const first = walk(keysOf('new', 'old'));
  expect(await countsOf(first)).toEqual({ 'v2:env:old': 800 });
  const page = await first.reseal('');
  expect(page).toMatchObject({ overtaken: 0, failed: 0 });
  expect(await countsOf(first)).toEqual({ 'v2:env:old': 800 - page.resealed, 'v2:env:new': page.resealed });
  // Another process, from the beginning: what is done is not done again.
  const second = walk(keysOf('new', 'old'));
  expect((await second.reseal('')).resealed).toBe(0);
  let after = page.next;
  let pages = 1;
  while (after !== '') {
    after = (await second.reseal(after)).next;
    pages++;
  }
  expect(pages).toBe(3);
  const onlyNew = keysOf('new');
  expect(await countsOf(second)).toEqual({ 'v2:env:new': 800 });
  for (const { _id, token } of await withTokens(purchases))
    expect(await onlyNew.open(prepaidToken(_id), token ?? '')).toBe(`token of ${_id}`);
});

test('what is written between the reading and the writing is never overwritten', async () => {
  const { purchases, walk } = await newPlace(3);
  const keys = keysOf('new', 'old');
  const rival = await keysOf('old').seal(prepaidToken('r-00001'), 'a newer token');
  const slow: Keys<'prepaid-token'> = {
    ...keys,
    async seal(secret, plain) {
      if (secret.owner === 'r-00001') await purchases.updateOne({ _id: secret.owner }, { $set: { token: rival } });
      return keys.seal(secret, plain);
    },
  };
  expect(await walk(slow).reseal('')).toEqual({ resealed: 1, overtaken: 1, failed: 0, next: '' });
  expect((await purchases.findOne({ _id: 'r-00001' }))?.token).toBe(rival);
  expect(await walk(keys).reseal('')).toMatchObject({ resealed: 1, overtaken: 0 });
  const token = (await purchases.findOne({ _id: 'r-00001' }))?.token ?? '';
  expect(await keysOf('new').open(prepaidToken('r-00001'), token)).toBe('a newer token');
});

test('writers and readers work on meanwhile; nothing fails, and nothing is lost', async () => {
  const { purchases, walk } = await newPlace(600);
  const keys = keysOf('new', 'old');
  const written = new Map<string, string>();
  const state = { isDone: false, reads: 0 };
  const ids = (await withTokens(purchases)).map(({ _id }) => _id);
  const writer = async () => {
    // A replica of before the rotation writes on under the old key, one document after the other.
    const before = keysOf('old');
    for (let i = 0; !state.isDone; i += 7) {
      const id = ids[i % ids.length] ?? '';
      const text = `token ${i}`;
      await purchases.updateOne({ _id: id }, { $set: { token: await before.seal(prepaidToken(id), text), other: i } });
      written.set(id, text);
    }
  };
  const reader = async () => {
    for (let i = 0; !state.isDone; i++) {
      const id = ids[(i * 13) % ids.length] ?? '';
      const found = await purchases.findOne({ _id: id });
      expect(await keys.open(prepaidToken(id), found?.token ?? '')).toContain('token');
      state.reads++;
    }
  };
  const working = Promise.all([writer(), reader(), reader()]);
  for (let walks = 0; walks < 5; walks++) await resealAll(walk(keys));
  state.isDone = true;
  await working;
  expect(state.reads).toBeGreaterThan(10);
  expect(written.size).toBeGreaterThan(10);
  await resealAll(walk(keys));
  expect(await countsOf(walk(keys))).toEqual({ 'v2:env:new': 400 });
  const onlyNew = keysOf('new');
  for (const { _id, token } of await withTokens(purchases))
    expect(await onlyNew.open(prepaidToken(_id), token ?? '')).toBe(written.get(_id) ?? `token of ${_id}`);
});

test('what no key opens is counted and left as it is; the rest is sealed again', async () => {
  const { purchases, walk } = await newPlace(6);
  const lost = await keysOf('lost').seal(prepaidToken('r-00002'), 'x');
  await purchases.updateOne({ _id: 'r-00002' }, { $set: { token: lost } });
  expect(await walk(keysOf('new', 'old')).reseal('')).toMatchObject({ resealed: 3, failed: 1 });
  expect((await purchases.findOne({ _id: 'r-00002' }))?.token).toBe(lost);
});

test('an `after` that is from no page is refused', async () => {
  const { walk } = await newPlace(1);
  await expect(walk(keysOf('old')).count('{"$gt":""}')).rejects.toMatchObject({ refusal: { refused: 'validation' } });
});
