import { startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectStore, openAuditLog, type Store } from '../src/index.ts';

let mongo: TestMongo;
let store: Store;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}audit`, appName: 'test' });
});

afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

test('entries of several operators at once form one chain, and tampering shows', async () => {
  const log = openAuditLog(store);
  await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      log.append(
        { operator: `op${i}`, command: 'merchant.freeze', target: 'm1', before: { frozen: false }, after: { frozen: true } },
        1_000 + i,
      ),
    ),
  );
  const { records, intact } = await log.list(100);
  expect(records.map((record) => record.seq)).toEqual([10n, 9n, 8n, 7n, 6n, 5n, 4n, 3n, 2n, 1n]);
  expect(intact).toBe(true);
  await store.collection<{ _id: bigint }>('audit_log').updateOne({ _id: 4n }, { $set: { operator: 'nobody' } });
  // However few are listed: the whole chain is looked at.
  expect(await log.list(2)).toMatchObject({ records: [{ seq: 10n }, { seq: 9n }], intact: false });
});
