import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { implement } from '@gerbang/rpc';
import { failCommand, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assembleService } from '../src/index.ts';
import { openChannel, serveRpc } from '../src/rpc.ts';
import { openStore } from '../src/store.ts';

let mongo: TestMongo;
const closing: (() => Promise<void>)[] = [];
const log = testLog();

const configOf = () => ({
  GERBANG_ENV: 'sandbox' as const,
  LOG_LEVEL: 'silent',
  ADMIN_HOST: '127.0.0.1',
  DRAIN_DELAY_MS: 0,
  ADMIN_PORT: 0,
  RPC_HOST: '127.0.0.1',
  RPC_PORT: 0,
  tls: undefined,
  MONGODB_URI: mongo.uri,
  MONGODB_DB_PREFIX: mongo.databasePrefix,
});

/** A service whose post writes to its database, or fails otherwise where the key says so; and a caller of it. */
async function open() {
  const service = await assembleService({ name: 'writer', config: configOf(), log }, async (foundation) => {
    const store = await openStore(foundation);
    const post = async ({ postingKey }: { postingKey: string }) => {
      if (postingKey === 'fault') throw new Error('a fault of ours');
      await store.collection<{ _id: string }>('postings').insertOne({ _id: postingKey });
      return {};
    };
    const handlers = { post, getBalance: async () => ({}), verify: async () => ({}) };
    return serveRpc(foundation, { implementations: [implement(LedgerService, handlers, [])], store });
  });
  const caller = await assembleService({ name: 'caller', config: configOf(), log }, async (foundation) => ({
    ledger: openChannel(foundation, 'writer', `127.0.0.1:${service.port}`).client(LedgerService),
  }));
  closing.push(
    () => service.close(),
    () => caller.close(),
  );
  return (postingKey: string) => caller.ledger.post({ postingKey }, { timeoutMs: 3_000, retry: false });
}

let post: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  mongo = await startTestMongo();
  post = await open();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await mongo.stop();
});

test.each([
  ['lost-connection', { closeConnection: true }],
  ['no-primary', { errorCode: 10107 }],
  ['stopping', { errorCode: 91 }],
])('a create whose database goes away (%s) is refused as unavailable, to come again', async (key, failure) => {
  {
    await using _ = await failCommand(mongo.uri, { times: 3 }, { failCommands: ['insert'], ...failure });
    await expect(post(key)).rejects.toMatchObject({ refusal: { refused: 'unavailable', retryAfterMs: 1_000 } });
  }
  await expect(post(key)).resolves.toBeDefined();
});

test('what fails for another reason stays a fault of ours', async () => {
  await expect(post('fault')).rejects.toMatchObject({ refusal: { refused: 'internal' } });
  await post('twice');
  await expect(post('twice')).rejects.toMatchObject({ refusal: { refused: 'internal' } });
});
