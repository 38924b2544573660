import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';

/**
 * Merchants generate clients from docs/openapi.json. Each language makes its client with the generator that most people use, and
 * a small program that is also an example makes a first payment with it.
 */

const ROOT = path.resolve(import.meta.dirname, '../..');
const DOCUMENT = path.join(ROOT, 'docs/openapi.json');
/** What takes long and depends on pinned versions only; it survives between runs. */
const CACHE = path.resolve(ROOT, process.env.GERBANG_DATA || '.gerbang', 'tools/clients');
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
/** What each program prints when both payments have gone through. */
const PAID = /^received 50000\.00 by virtual account \d+\nsent 20000\.00: Success\n$/;

let system: System;
let demo: string;

beforeAll(async () => {
  system = await startSystem({ name: 'clients', shuffleUnsorted: true });
  demo = path.join(system.dataFolder, 'demo.json');
}, 120_000);

afterAll(() => system?.stop());

describe('Python, by openapi-python-client', () => {
  const folder = path.join(import.meta.dirname, 'python');
  const isMissing = !succeeds('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))']);
  if (isMissing) process.stderr.write('check:clients: SKIPPED Python: there is no python3 of 3.11 or newer with venv\n');

  test.skipIf(isMissing)('makes a first payment', async () => {
    const venv = await ensureVenv(path.join(folder, 'requirements.txt'));
    const python = path.join(venv, 'bin/python');
    const client = path.join(venv, 'gerbang-client');
    rmSync(client, { recursive: true, force: true });
    const config = path.join(folder, 'openapi-python-client.yaml');
    const options = ['--path', DOCUMENT, '--config', config, '--output-path', client, '--fail-on-warning'];
    await run(path.join(venv, 'bin/openapi-python-client'), ['generate', ...options]);
    await run(python, ['-m', 'pip', 'install', '--quiet', '--no-build-isolation', '--no-deps', '--force-reinstall', client]);
    await run(python, ['-c', IMPORT_ALL]);
    expect(await run(python, [path.join(folder, 'first_payment.py'), demo])).toMatch(PAID);
  });
});

describe('Go, by oapi-codegen', () => {
  const cwd = path.join(import.meta.dirname, 'go');
  const isMissing = !succeeds('go', ['list', '-m'], cwd);
  if (isMissing) process.stderr.write('check:clients: SKIPPED Go: there is no go of 1.25 or newer\n');

  test.skipIf(isMissing)('makes a first payment', async () => {
    rmSync(path.join(cwd, 'gerbang'), { recursive: true, force: true });
    await run('go', ['generate', './...'], cwd);
    const client = readFileSync(path.join(cwd, 'gerbang/client.gen.go'), 'utf8');
    expect(client, 'a float32 does not hold every amount').not.toMatch(/\bfloat32\b/);
    await run('go', ['vet', './...'], cwd);
    expect(await run('go', ['run', '.', demo], cwd)).toMatch(PAID);
  });
});

/** Every module of a generated client, also those of operations that the example does not call. */
const IMPORT_ALL = `
import pkgutil, gerbang_client
for module in pkgutil.walk_packages(gerbang_client.__path__, "gerbang_client."):
    __import__(module.name)
`;

/** A virtual environment with the requirements; made anew when they change. */
async function ensureVenv(requirements: string): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const venv = path.join(CACHE, `python-${hash}`);
  const done = path.join(venv, 'installed');
  if (existsSync(done)) return venv;
  rmSync(venv, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  await run('python3', ['-m', 'venv', venv]);
  const report = path.join(venv, 'report.json');
  const options = ['--quiet', '--disable-pip-version-check', '--report', report];
  await run(path.join(venv, 'bin/python'), ['-m', 'pip', 'install', ...options, '--requirement', requirements]);
  renameSync(report, done);
  return venv;
}

function succeeds(program: string, args: readonly string[], cwd = ROOT): boolean {
  return spawnSync(program, args, { cwd, stdio: 'ignore' }).status === 0;
}

/** What a program prints; throws with all its output unless it succeeds. */
async function run(program: string, args: readonly string[], cwd = ROOT): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd, maxBuffer: OUTPUT_BYTES_MAX })).stdout;
  } catch (error) {
    const { stdout, stderr } = Object(error);
    throw new Error(`${program} ${args.join(' ')}:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
}
