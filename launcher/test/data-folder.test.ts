import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDataFolder } from '../data-folder.ts';
import { identify } from '../process-identity.ts';
import { ensureSecrets } from '../secrets.ts';

const url = 'http://127.0.0.1:8080';
let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gerbang-folder-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const open = (fresh = false) => openDataFolder(folder, { fresh, url });
const lock = () => path.join(folder, 'launcher.lock');

function sleeper(): ChildProcess & { pid: number } {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  children.push(child);
  if (child.pid === undefined) throw new Error('no sleep');
  return Object.assign(child, { pid: child.pid });
}

async function deadProcess() {
  const child = sleeper();
  const identity = identify(child.pid);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return identity;
}

describe('the folder', () => {
  const modeOf = (file: string) => statSync(file).mode & 0o7777;

  test('is for its owner only, and so are its logs', async () => {
    folder = path.join(folder, 'new', 'data');
    (await open()).release();
    expect([modeOf(folder), modeOf(path.join(folder, 'logs'))]).toEqual([0o700, 0o700]);
  });

  test('is tightened where it is there already', async () => {
    mkdirSync(path.join(folder, 'logs'));
    chmodSync(folder, 0o755);
    chmodSync(path.join(folder, 'logs'), 0o777);
    (await open()).release();
    expect([modeOf(folder), modeOf(path.join(folder, 'logs'))]).toEqual([0o700, 0o700]);
  });

  test('may not be one that everyone shares', async () => {
    chmodSync(folder, 0o1777);
    await expect(open()).rejects.toThrow(`${folder} is shared by all users`);
    expect(modeOf(folder)).toBe(0o1777);
  });
});

describe('the lock', () => {
  test('tells the second process which process has it and where that answers', async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(new RegExp(`running already in ${folder}: process ${process.pid}, ${url}`));
    first.release();
    (await open()).release();
    expect(existsSync(lock())).toBe(false);
  });

  test('of two that come at once, one gets it', async () => {
    const results = await Promise.allSettled([open(), open(), open()]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  test('of a dead process is taken over', async () => {
    writeFileSync(lock(), JSON.stringify({ ...(await deadProcess()), url }));
    await open();
    expect(JSON.parse(readFileSync(lock(), 'utf8'))).toMatchObject({ pid: process.pid });
  });

  test('of a process whose id somebody else has now is taken over', async () => {
    writeFileSync(lock(), JSON.stringify({ pid: sleeper().pid, started: '1', url }));
    await open();
  });

  test.each(['', '{"pid":', '[]', '{"pid":-1,"started":""}'])('that says %j is taken over', async (text) => {
    writeFileSync(lock(), text);
    await open();
  });
});

describe('what a killed launcher left', () => {
  test('is ended before anything else starts, when its guard is dead too', async () => {
    const child = sleeper();
    const exited = once(child, 'exit');
    writeFileSync(path.join(folder, 'processes.json'), JSON.stringify([await deadProcess(), identify(child.pid)]));
    await open();
    expect((await exited)[1]).toBe('SIGTERM');
  });

  test('is left alone when its id belongs to another process now', async () => {
    const child = sleeper();
    writeFileSync(path.join(folder, 'processes.json'), JSON.stringify([await deadProcess(), { pid: child.pid, started: '1' }]));
    await open();
    expect(child.signalCode).toBeNull();
    expect(() => process.kill(child.pid, 0)).not.toThrow();
  });
});

describe('the format', () => {
  test.each(['0', '2', 'x'])('%s is refused with what to do, and the data are left as they are', async (format) => {
    writeFileSync(path.join(folder, 'format'), format);
    await expect(open()).rejects.toThrow(/format.*\n.*GERBANG_DATA.*--fresh/);
    expect(readFileSync(path.join(folder, 'format'), 'utf8')).toBe(format);
    expect(existsSync(lock())).toBe(false);
  });

  test('--fresh empties the folder of everything but the tools', async () => {
    writeFileSync(path.join(folder, 'format'), '0');
    for (const name of ['tools', 'mongodb', 'nats', 'compile-cache']) mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, 'demo.json'), '{}');
    await open(true);
    expect(
      ['tools', 'compile-cache', 'mongodb', 'nats', 'demo.json'].filter((name) => existsSync(path.join(folder, name))),
    ).toEqual(['tools', 'compile-cache']);
    expect(readFileSync(path.join(folder, 'format'), 'utf8')).toBe('1\n');
  });
});

test('secrets are made once and only their owner can read them', () => {
  const secrets = ensureSecrets(folder);
  expect(ensureSecrets(folder)).toEqual(secrets);
  expect(statSync(path.join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
  writeFileSync(path.join(folder, 'secrets.json'), '{');
  expect(() => ensureSecrets(folder)).toThrow(/secrets\.json can not be read/);
});

test('a data folder of an older version gets the secrets that it lacks and keeps the others', () => {
  const { keks, rail } = ensureSecrets(folder);
  writeFileSync(path.join(folder, 'secrets.json'), JSON.stringify({ keks, rail }));
  const secrets = ensureSecrets(folder);
  expect(secrets).toMatchObject({ keks, rail });
  expect(ensureSecrets(folder)).toEqual(secrets);
  expect(secrets.rails.privateKey).not.toBe(rail.privateKey);
});
