import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePorts } from '../../launcher/ports.ts';

const root = path.resolve(import.meta.dirname, '../..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const webhooks = readFileSync(path.join(root, 'docs/webhooks.md'), 'utf8');

/** Every npm command of the README, and where it is executed. One that is added has to be added here, and run. */
const COMMANDS: Record<string, string> = {
  'npm start': 'here',
  'npm start -- --fresh': 'here',
  'npm test': 'runs this test',
  'npm run gerbang -- --help': 'here',
  'npm run gerbang -- signature': 'here, as docs/webhooks.md has it',
  'npm run check': 'before the tests in CI',
  'npm run chaos': 'by hand: it takes long',
  'npm run bench': 'here',
  'npm run bench -- startup': 'by hand: figures are measured on a quiet machine',
};

/** What has been started and not yet ended. */
const running = new Set<ChildProcess>();

let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gerbang-readme-'));
  const ports = await findFreePorts();
  const variables = Object.entries(ports).map(([name, port]) => [name, String(port)]);
  // The tools that run this test are the ones that a first start would bring.
  env = {
    ...process.env,
    ...Object.fromEntries(variables),
    GERBANG_DATA: path.join(folder, '.gerbang'),
    GERBANG_NODE: process.execPath,
    GERBANG_PNPM: execFileSync('sh', ['-c', 'command -v pnpm']).toString().trim(),
    MERCHANT_RPC: `127.0.0.1:${ports.MERCHANT_RPC_PORT}`,
    PORT: String(await freePort()),
    ...ownDatabases(),
  };
});

afterAll(async () => {
  // Only where a test has failed is anything left.
  for (const child of running) await interrupt(child);
  rmSync(folder, { recursive: true, force: true });
});

test('every command is known, and so is executed', () => {
  const found = new Set([...readme.matchAll(/npm (?:start|test|run [a-z]+)(?: -- [a-z-]+)?/g)].map(([command]) => command));
  expect([...found].sort()).toEqual(Object.keys(COMMANDS).sort());
});

test('npm start, the first payment and a webhook as they are pasted, Ctrl-C; then afresh', async () => {
  const first = await start(['start']);
  const answer = JSON.parse(paste(snippetOf(readme, 'first-payment')));
  expect(answer).toMatchObject({
    response_code: 'SP000',
    data: { transaction_status: { code: '00' }, net_amount: { value: '150000.00' } },
  });
  tryWebhook();
  const before = demo();
  await interrupt(first);
  // A server that MONGODB_URI names keeps what it has; there, afresh means other databases.
  env = { ...env, ...ownDatabases() };
  const fresh = await start(['start', '--', '--fresh']);
  expect(demo().merchant_id).not.toBe(before.merchant_id);
  const help = execFileSync('npm', ['run', 'gerbang', '--', '--help'], { cwd: root, env }).toString();
  expect(help).toContain('merchant');
  expect(execFileSync('npm', ['run', 'bench'], { cwd: root, env }).toString()).toContain('startup');
  await interrupt(fresh);
}, 180_000);

/** What docs/webhooks.md shows: a receiver that refuses, why, and the next attempt with the right secret. */
function tryWebhook(): void {
  for (const name of ['docs', 'launcher', 'package.json']) symlinkSync(path.join(root, name), path.join(folder, name));
  // Its receivers end with it; the second one has what the first one refused.
  const wait = 'for _ in $(seq 300); do grep -q va-transaction received.txt && break; sleep 0.1; done';
  const snippet = snippetOf(webhooks, 'try-it').replaceAll('receive.py &', 'receive.py > received.txt &');
  const output = paste(`trap 'kill $RECEIVER' EXIT\n${snippet}\n${wait}`);
  expect(output).toContain('differs: secret (secret_with_white_space)');
  expect(readFileSync(path.join(folder, 'received.txt'), 'utf8')).toMatch(/^va-transaction [0-9A-Z]{26}\n$/);
}

/** The shell commands under a marker of a page. */
function snippetOf(page: string, marker: string): string {
  const snippet = new RegExp(`<!-- ${marker}[^>]*-->\\n+\`\`\`bash\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
  if (snippet === undefined) throw new Error(`no page has ${marker}`);
  return snippet;
}

/** Runs commands as if they were pasted into a shell, in the folder of the running system. */
function paste(commands: string): string {
  return execFileSync('bash', ['-euo', 'pipefail', '-c', commands], { cwd: folder, env }).toString();
}

/** Also on a server that others use, nobody else's. */
function ownDatabases(): { MONGODB_DB_PREFIX: string } {
  return { MONGODB_DB_PREFIX: `test_${randomBytes(5).toString('hex')}_` };
}

function demo(): { merchant_id: string } {
  return JSON.parse(readFileSync(path.join(folder, '.gerbang/demo.json'), 'utf8'));
}

/** Runs an npm command of the README until it says that it is ready. */
async function start(args: string[]): Promise<ChildProcess> {
  const child = spawn('npm', args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.add(child);
  child.once('close', () => running.delete(child));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      if (output.includes('Gerbang is ready')) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(`npm ${args.join(' ')} ended: ${output}`)));
  });
  return child;
}

/**
 * Ctrl-C: the terminal sends it to the whole group. npm may end before what it has started; all is over when no process can write
 * any more.
 */
async function interrupt(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) throw new Error('it has not been started');
  const ended = once(child, 'close');
  process.kill(-child.pid, 'SIGINT');
  await ended;
}
