import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newOperatorKey } from '@gerbang/neighbours';
import { OperatorAdminService, Outcome, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { openChannel, type RpcChannel } from '@gerbang/rpc';
import { eventually, freePort, startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeOperatorKey } from '../operator-keys.ts';
import { demoClient, ensureOperators } from '../operators.ts';

const MERCHANT = path.join(import.meta.dirname, '../../services/merchant/src/main.ts');
const START_MS = 60_000;

let mongo: TestMongo;
const folders: string[] = [];
const running: { end(): Promise<void> }[] = [];

beforeAll(async () => {
  mongo = await startTestMongo();
}, START_MS);
afterAll(async () => {
  await Promise.all(running.map((one) => one.end()));
  await mongo?.stop();
  for (const folder of folders) rmSync(folder, { recursive: true });
}, START_MS);

/** A data folder as a version has left it that knew no operators. */
function earlierFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-operators-'));
  folders.push(folder);
  writeFileSync(path.join(folder, 'demo.json'), '{}');
  return folder;
}

/** The merchant service on a database of its own. */
async function startMerchant(name: string): Promise<RpcChannel> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const child: ChildProcess = spawn(process.execPath, [MERCHANT], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      GERBANG_ENV: 'sandbox',
      LOG_LEVEL: 'silent',
      MONGODB_URI: mongo.uri,
      MONGODB_DB_PREFIX: `${mongo.databasePrefix}${name}_`,
      // Nothing listens there: the service works without NATS, and no money moves here.
      NATS_URL: 'nats://127.0.0.1:1',
      LEDGER_RPC: '127.0.0.1:1',
      RPC_PORT: String(port),
      ADMIN_PORT: String(adminPort),
      GERBANG_KEKS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
      CHAIN_KEYS: `c1:${Buffer.alloc(32, 'c').toString('base64')}`,
    },
  });
  const channel = openChannel({ address: `127.0.0.1:${port}`, tls: undefined });
  running.push({
    async end() {
      await channel.close();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  });
  await eventually('the service is ready', async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).ok, START_MS);
  return channel;
}

const adminsOf = (folder: string, channel: RpcChannel) => demoClient(folder, channel, OperatorAdminService);

test('a data folder of before operators had keys gets them, once', { timeout: START_MS }, async () => {
  const folder = earlierFolder();
  const channel = await startMerchant('earlier');
  await ensureOperators(folder, channel);
  const admins = adminsOf(folder, channel);
  const { operators } = await admins.listOperators({});
  expect(operators.map(({ id, role }) => [id, role])).toEqual([
    ['budi', Role.ADMIN],
    ['sari', Role.ADMIN],
  ]);
  const files = ['sari', 'budi'].map((id) => path.join(folder, 'operators', `${id}.json`));
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(readFileSync(path.join(folder, 'demo.json'), 'utf8')).toBe('{}');
  const keys = files.map((file) => readFileSync(file, 'utf8'));
  await ensureOperators(folder, channel);
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(keys);
  const { lines } = await admins.listAudit({ target: 'operators' });
  expect(lines).toMatchObject([{ outcome: Outcome.DONE }]);

  const other = earlierFolder();
  await expect(ensureOperators(other, channel)).rejects.toThrow(`the database has other operators than those in ${other}`);
});

test('a start that was cut off after the first key is taken up', { timeout: START_MS }, async () => {
  const folder = earlierFolder();
  const file = (id: string) => path.join(folder, 'operators', `${id}.json`);
  writeOperatorKey(file('sari'), await newOperatorKey('sari'));
  const before = readFileSync(file('sari'), 'utf8');
  const channel = await startMerchant('cut_off');
  await ensureOperators(folder, channel);
  expect(readFileSync(file('sari'), 'utf8')).toBe(before);
  expect(existsSync(file('budi'))).toBe(true);
  expect((await adminsOf(folder, channel).whoAmI({})).operator?.id).toBe('sari');
});
