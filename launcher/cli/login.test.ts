import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startTestMongo, type TestMongo } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browse, CLIENT_ID, startOidcProvider } from '../test/oidc-provider.ts';

const CLI = path.join(import.meta.dirname, 'main.ts');
const MERCHANT = path.join(import.meta.dirname, '../../services/merchant/src/main.ts');
/** Many processes one after the other, on a machine that does other things too. */
const TOGETHER_MS = 60_000;

/** The home of who gives the commands, and the sandbox's data. */
const home = mkdtempSync(path.join(tmpdir(), 'gerbang-login-'));
const login = path.join(home, '.config/gerbang/dewi.login.json');

let mongo: TestMongo;
let provider: Awaited<ReturnType<typeof startOidcProvider>>;
let merchant: ChildProcess;
let environment: Record<string, string>;

beforeAll(async () => {
  [mongo, provider] = await Promise.all([startTestMongo(), startOidcProvider()]);
  const oidc = { OPERATOR_OIDC_ISSUER: provider.issuer, OPERATOR_OIDC_AUDIENCE: CLIENT_ID };
  merchant = spawn(process.execPath, [MERCHANT], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...oidc,
      GERBANG_ENV: 'sandbox',
      MONGODB_URI: mongo.uri,
      MONGODB_DB_PREFIX: mongo.databasePrefix,
      // Nothing listens there: the service works without NATS and the ledger.
      NATS_URL: 'nats://127.0.0.1:1',
      LEDGER_RPC: '127.0.0.1:1',
      RPC_PORT: '0',
      ADMIN_PORT: '0',
      GERBANG_KEKS: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
      CHAIN_KEYS: `c1:${Buffer.alloc(32, 'c').toString('base64')}`,
    },
  });
  environment = { ...oidc, HOME: home, GERBANG_DATA: home, MERCHANT_RPC: `127.0.0.1:${await portOf(merchant)}` };
  const enrolments = await Promise.all(['ani', 'budi'].map(newKey));
  expect(await gerbang(['operators', 'set-up', ...enrolments])).toMatchObject({ code: 0, stderr: '' });
}, TOGETHER_MS);

afterAll(async () => {
  merchant.kill('SIGTERM');
  await once(merchant, 'exit');
  await provider.close();
  await mongo.stop();
  rmSync(home, { recursive: true });
}, TOGETHER_MS);

test('an operator logs in, is enrolled by the subject, and approves with one who has a key', {
  timeout: 2 * TOGETHER_MS,
}, async () => {
  const { subject, file } = await logIn('dewi-at-work');
  expect([subject, file]).toEqual(['dewi-at-work', login]);
  expect([statSync(login).mode & 0o777, statSync(path.dirname(login)).mode & 0o777]).toEqual([0o600, 0o700]);
  const unknown = await gerbang(['--operator', 'dewi', 'operators', 'whoami']);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('the subject dewi-at-work of http') });

  const enrol = ['operators', 'enrol', 'dewi', 'admin', '--oidc-subject', subject];
  const needed = await gerbang(['--operator', 'ani', ...enrol]);
  expect(await approve(needed.stderr, 'budi')).toMatchObject({ code: 0 });
  expect(await json('operators', 'whoami')).toMatchObject({ id: 'dewi', role: 'admin', issuer: provider.issuer, subject });

  const { merchant_id } = await json('merchant', 'create', '--name', 'Toko', '--product', 'qris');
  const proposed = await gerbang(['--operator', 'dewi', 'credential', 'add', merchant_id]);
  expect(proposed.stderr).toContain('a second operator must approve this command');
  expect((await approve(proposed.stderr, 'dewi')).stderr).toContain('dewi has proposed this command');
  expect(await approve(proposed.stderr, 'ani')).toMatchObject({ code: 0, stderr: '' });
});

test('with a code on another machine, where the provider binds it to the key', { timeout: TOGETHER_MS }, async () => {
  const unbound = start('--device');
  await visit(await unbound.line, 'dewi-at-work');
  expect(await unbound.ended).toMatchObject({ exit: 1, stderr: expect.stringContaining('the provider has left the nonce out') });
  provider.giveNonceToDevices();
  expect(await logIn('dewi-at-work', '--device')).toMatchObject({ subject: 'dewi-at-work' });
  expect(await json('operators', 'whoami')).toMatchObject({ id: 'dewi' });
});

test('a login that has expired or that others can read is not used; logout ends it', { timeout: TOGETHER_MS }, async () => {
  await logIn('dewi-at-work');
  const whoami = ['--operator', 'dewi', 'operators', 'whoami'];
  chmodSync(login, 0o644);
  expect((await gerbang(whoami)).stderr).toContain(`others can read ${login}`);
  chmodSync(login, 0o600);
  const stored = JSON.parse(readFileSync(login, 'utf8'));
  writeFileSync(login, JSON.stringify({ ...stored, expires_at: new Date(Date.now() - 1_000).toISOString() }));
  expect((await gerbang(whoami)).stderr).toBe('gerbang: the login of dewi has expired; run: gerbang --operator dewi login\n');
  expect(await gerbang(['--operator', 'dewi', 'logout'])).toMatchObject({ code: 0 });
  expect(existsSync(login)).toBe(false);
  expect((await gerbang(whoami)).stderr).toContain('there is no key of the operator dewi');
  expect((await gerbang(['--operator', 'dewi', 'logout'])).stderr).toBe('gerbang: dewi is not logged in\n');
});

test('an answer with another state is not taken', { timeout: TOGETHER_MS }, async () => {
  const { child, ended, line } = start();
  const redirect = new URL(new URL((await line).replace(/^.*: /, '')).searchParams.get('redirect_uri') ?? '');
  const answer = await fetch(`${redirect}?code=x&state=y`);
  expect(answer.status).toBe(404);
  child.kill();
  await ended;
});

test('what can not be used says so', { timeout: TOGETHER_MS }, async () => {
  const nowhere = await gerbang(['login'], { OPERATOR_OIDC_ISSUER: 'http://127.0.0.1:1' });
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('http://127.0.0.1:1/ can not be used') });
  const open = await gerbang(['login'], { OPERATOR_OIDC_ISSUER: 'http://id.example' });
  expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining('http://id.example/ can not be used') });
  const unset = await gerbang(['login'], { OPERATOR_OIDC_ISSUER: '' });
  expect(unset).toMatchObject({ code: 1, stderr: 'gerbang: OPERATOR_OIDC_ISSUER is not set; it is required\n' });
});

type Outcome = { code: number; stdout: string; stderr: string };

function gerbang(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...environment, ...env } };
    execFile(process.execPath, [CLI, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** Runs a command of dewi's that must succeed, and gives its JSON. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await gerbang(['--json', '--operator', 'dewi', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** Gives the command that was proposed as this operator too. */
function approve(needed: string, operator: string): Promise<Outcome> {
  const [, id = ''] = /approve ([0-9a-f]{64})$/m.exec(needed) ?? [];
  return gerbang(['--operator', operator, 'approvals', 'approve', id]);
}

async function newKey(id: string): Promise<string> {
  const { stdout } = await gerbang(['--json', 'operators', 'new-key', id]);
  return `${id}=${JSON.parse(stdout).public_key}`;
}

/** Runs `login` as dewi and does in a browser what it asks for. */
async function logIn(person: string, ...args: string[]) {
  const { line, ended } = start(...args);
  await visit(await line, person);
  const { exit, stdout, stderr } = await ended;
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringMatching(/^gerbang: open .*\n$/) });
  return JSON.parse(stdout);
}

/** Does in a browser what a line of `login` asks for. */
function visit(line: string, person: string): Promise<string> {
  const [, address = '', code] = /(http\S+)(?: in a browser and give this code: (\S+))?/.exec(line) ?? [];
  return browse(address, person, code);
}

/** Begins `login`; `line` is the first one that it shows. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [CLI, '--json', '--operator', 'dewi', 'login', ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  child.stdout.on('data', (data: Buffer) => {
    stdout += data.toString();
  });
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  const line = new Promise<string>((resolve) => createInterface(child.stderr).once('line', resolve));
  const ended = once(child, 'close').then(([exit]) => ({ exit, stdout, stderr }));
  return { child, line, ended };
}

function portOf(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('the service has no output');
  const lines = createInterface(child.stdout);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
    lines.on('line', (line) => {
      const entry: { msg?: string; port?: number } = JSON.parse(line);
      if (entry.msg === 'ready' && entry.port !== undefined) resolve(entry.port);
    });
  });
}
