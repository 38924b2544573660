import { createClock } from '@gerbang/core';
import { startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectStore, createOnce, type IdempotencyKeys, openIdempotencyKeys, type Store } from '../src/index.ts';

let mongo: TestMongo;
let store: Store;
let keys: IdempotencyKeys;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}create_once`, appName: 'test' });
  keys = await openIdempotencyKeys(store, createClock());
});
afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

let made: string[];
const creation = {
  allocate: () => `id${made.length + 1}`,
  create: async (id: string) => {
    made.push(id);
    return { id };
  },
  encode: ({ id }: { id: string }) => Buffer.from(id),
  decode: (bytes: Uint8Array) => ({ id: Buffer.from(bytes).toString() }),
};

test('without a key each request creates', async () => {
  made = [];
  const answers = [await createOnce(keys, { merchantId: 'm' }, creation), await createOnce(keys, { merchantId: 'm' }, creation)];
  expect(answers).toEqual([
    { answer: { id: 'id1' }, replayed: false },
    { answer: { id: 'id2' }, replayed: false },
  ]);
});

test('with a key the first answer is given again, and nothing is made twice', async () => {
  made = [];
  const creator = { merchantId: 'm', idempotencyKey: { key: 'k', route: 'POST /things', bodyHash: 'h' } };
  expect(await createOnce(keys, creator, creation)).toEqual({ answer: { id: 'id1' }, replayed: false });
  expect(await createOnce(keys, creator, creation)).toEqual({ answer: { id: 'id1' }, replayed: true });
  expect(made).toEqual(['id1']);
});

test('the same key with another body is refused', async () => {
  made = [];
  const creator = { merchantId: 'm', idempotencyKey: { key: 'k2', route: 'POST /things', bodyHash: 'h' } };
  await createOnce(keys, creator, creation);
  const other = { merchantId: 'm', idempotencyKey: { ...creator.idempotencyKey, bodyHash: 'other' } };
  await expect(createOnce(keys, other, creation)).rejects.toMatchObject({ refusal: { refused: 'idempotency_key_reused' } });
});
