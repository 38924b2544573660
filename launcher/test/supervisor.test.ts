import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, freePort } from '@gerbang/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLogFile } from '../log-file.ts';
import { identify, isIdentity, lives, type ProcessIdentity } from '../process-identity.ts';
import type { ProcessSpec } from '../process-spec.ts';
import { createSupervisor, type Supervisor } from '../supervisor.ts';

let folder: string;
let said: string[];
let recorded: ProcessIdentity[];
const closing: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gerbang-supervisor-'));
  said = [];
  recorded = [];
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A process that listens on a port and, when told to end, notes its name in a file. */
async function listener(name: string, stage: ProcessSpec['stage'], over = ''): Promise<ProcessSpec> {
  const port = await freePort();
  const script = `
    const { appendFileSync } = require('node:fs');
    ${over}
    require('node:net').createServer().listen(${port}, '127.0.0.1', () => console.log('${name} listens'));
    process.on('SIGTERM', () => { appendFileSync(${JSON.stringify(path.join(folder, 'ended'))}, '${name} '); process.exit(0); });
  `;
  return { name, command: process.execPath, args: ['-e', script], env: {}, stage, ready: { tcp: port } };
}

function supervise(specs: ProcessSpec[]): Supervisor {
  const record = (processes: ProcessIdentity[]) => {
    recorded = processes;
  };
  const supervisor = createSupervisor(specs, { logFolder: folder, say: (line) => said.push(line), record });
  closing.push(() => supervisor.stop());
  return supervisor;
}

test('starts the stores before the services and stops them after', async () => {
  const store = await listener('store', 'stores');
  const service = await listener(
    'service',
    'services',
    `require('node:net').connect(${portOf(store)}).on('error', () => process.exit(1));`,
  );
  const supervisor = supervise([store, service]);
  await supervisor.start();
  expect([...supervisor.pids().keys()]).toEqual(['store', 'service']);
  expect(recorded).toHaveLength(3);
  await supervisor.stop();
  expect(readFileSync(path.join(folder, 'ended'), 'utf8')).toBe('service store ');
  await eventually('the guard goes home', () => !recorded.some(lives));
});

test('a process that dies is started again, at once the first time, and says so in one line', async () => {
  const supervisor = supervise([await listener('service', 'services')]);
  await supervisor.start();
  const before = supervisor.pids().get('service');
  await supervisor.kill('service', 'SIGKILL');
  await supervisor.ready();
  expect(supervisor.pids().get('service')).not.toBe(before);
  expect(said).toEqual(['service ended (SIGKILL); starting it again']);
  await supervisor.kill('service', 'SIGKILL');
  await supervisor.ready();
  expect(said[1]).toBe('service ended (SIGKILL); starting it again in 0.2 s');
});

test('a start that fails shows the end of the log of what failed, and nothing is left', async () => {
  const fine = await listener('fine', 'services');
  const wrong = await listener('wrong', 'services', `console.error('LEDGER_RPC is not set'); process.exit(1);`);
  const supervisor = supervise([fine, wrong]);
  await expect(supervisor.start()).rejects.toThrow(/wrong does not get ready\. The end of its log:\n +.*LEDGER_RPC is not set/s);
  await supervisor.stop();
  expect(supervisor.pids().size).toBe(0);
});

test('a program that does not exist fails the start by name', async () => {
  const spec = { ...(await listener('absent', 'stores')), command: '/nowhere/at/all' };
  await expect(supervise([spec]).start()).rejects.toThrow(
    /absent does not get ready.*\/nowhere\/at\/all: (not found|.*No such file)/s,
  );
  expect(said[0]).toContain('exit code 127');
});

test('a start can be given up', async () => {
  const slow = { ...(await listener('slow', 'services')), ready: { tcp: await freePort() } };
  const supervisor = supervise([slow]);
  const start = supervisor.start();
  const refused = expect(start).rejects.toThrow(/stopped/);
  await eventually('it runs', () => supervisor.pids().size === 1);
  await supervisor.stop();
  await refused;
});

test('when its owner is killed, the guard ends every process and then itself', async () => {
  const specs = [await listener('store', 'stores'), await listener('stubborn', 'services', `process.on('SIGINT', () => {});`)];
  const owner = path.join(folder, 'owner.ts');
  const module = JSON.stringify(path.resolve(import.meta.dirname, '../supervisor.ts'));
  writeFileSync(
    owner,
    `import { createSupervisor } from ${module};
     const record = (processes) => process.send(processes);
     await createSupervisor(${JSON.stringify(specs)}, { logFolder: ${JSON.stringify(folder)}, say: () => {}, record }).start();
     process.send('ready');`,
  );
  const child: ChildProcess = spawn(process.execPath, [owner], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.on('message', (message) => {
    if (Array.isArray(message)) recorded = message.filter(isIdentity);
    else said.push(String(message));
  });
  await eventually('the owner has started them', () => said.includes('ready'));
  expect(recorded).toHaveLength(3);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await eventually('nothing is left', () => !recorded.some(lives));
  expect(readFileSync(path.join(folder, 'ended'), 'utf8').split(' ').toSorted()).toEqual(['', 'store', 'stubborn']);
});

test('a log grows to its bound, then starts anew and keeps the old one', async () => {
  const file = path.join(folder, 'a.log');
  const log = openLogFile(file, 1_000);
  appendFileSync(log.descriptor, `${'x'.repeat(600)}\n`);
  log.rotate();
  expect(statSync(file).size).toBe(601);
  appendFileSync(log.descriptor, `${'y'.repeat(600)}\n`);
  log.rotate();
  expect(statSync(`${file}.1`).size).toBe(1_202);
  appendFileSync(log.descriptor, 'first\nsecond\nthird\n');
  expect(readFileSync(file, 'utf8')).toBe('first\nsecond\nthird\n');
  expect(await log.tail(2)).toEqual(['second', 'third']);
  log.close();
});

test('a process is known by its id and its start together', () => {
  const self = identify(process.pid);
  expect(lives(self)).toBe(true);
  expect(lives({ ...self, started: `${self.started}0` })).toBe(false);
});

function portOf({ ready }: ProcessSpec): number {
  if (!('tcp' in ready)) throw new Error('it has no port');
  return ready.tcp;
}

test.runIf(process.platform === 'linux')('what it starts writes no core files', async () => {
  const note = path.join(folder, 'limits');
  const copy = `require('node:fs').writeFileSync(${JSON.stringify(note)}, require('node:fs').readFileSync('/proc/self/limits'));`;
  await supervise([await listener('service', 'services', copy)]).start();
  expect(readFileSync(note, 'utf8')).toMatch(/^Max core file size +0 +0 /m);
});
