import { parseKeyRing } from '@gerbang/core';
import { createKeys, openEnvKeys, prepaidToken } from '@gerbang/keys';
import { connectStore, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeliveryDocument } from '../src/delivery/document.ts';
import { deliveredTokens } from '../src/delivery/sealed-place.ts';

let mongo: TestMongo;
let store: Store;
beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}reseal`, appName: 'test' });
});
afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

function keysOf(...kids: string[]) {
  const ring = parseKeyRing(kids.map((kid) => `${kid}:${Buffer.alloc(32, kid).toString('base64')}`).join());
  return createKeys(['prepaid-token'], [openEnvKeys(ring ?? expect.fail('no key ring'))]);
}

test('tokens of webhooks are sealed again; then the old key may go', async () => {
  const deliveries = store.collection<Pick<DeliveryDocument, '_id' | 'sealed_token'>>('deliveries');
  const text = await keysOf('k1').seal(prepaidToken('r-1'), 'digits');
  await deliveries.insertMany([{ _id: 'e1' }, { _id: 'e2', sealed_token: { reference_number: 'r-1', text } }]);
  const walk = deliveredTokens({ store, keys: keysOf('k2', 'k1'), log: testLog() });
  expect(await walk.reseal('')).toEqual({ resealed: 1, overtaken: 0, failed: 0, next: '' });
  expect(Object.fromEntries((await walk.count('')).counts)).toEqual({ 'v2:env:k2': 1 });
  const stored = await deliveries.findOne({ _id: 'e2' });
  expect(await keysOf('k2').open(prepaidToken('r-1'), stored?.sealed_token?.text ?? '')).toBe('digits');
});
