import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, freePort } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE_FLAGS } from '../../../launcher/process-spec.ts';
import { type Start, unpackImage } from '../src/image/oci.ts';
import { findTool } from '../src/tools.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-image-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const dockerfile = readFileSync(path.join(root, 'deploy/Dockerfile'), 'utf8');

test('the image has the versions of the launcher, and its flags of Node', () => {
  const tools = readFileSync(path.join(root, 'launcher/bootstrap/tools.mjs'), 'utf8');
  const versionOf = (name: string) => new RegExp(`^const ${name}_VERSION = '([\\d.]+)';`, 'm').exec(tools)?.[1];
  expect(dockerfile).toContain(`FROM node:${versionOf('NODE')}-`);
  expect(dockerfile).toContain(`pnpm@${versionOf('PNPM')}`);
  for (const flag of NODE_FLAGS) expect(dockerfile).toContain(`"${flag}"`);
});

describe('private files', () => {
  const [from, to] = [path.join(folder, 'mounted'), path.join(folder, 'own')];
  const preload = path.join(root, 'deploy/image/private-files.mjs');
  mkdirSync(path.join(from, 'tls'), { recursive: true });
  writeFileSync(path.join(from, 'tls/tls.key'), 'first', { mode: 0o440 });

  test('are copied for one user, before the program runs and when they are renewed', async () => {
    const program = `setInterval(() => {}, 1000); console.log(require('fs').readFileSync('${to}/tls/tls.key', 'utf8'))`;
    const env = { ...process.env, GERBANG_PRIVATE_FILES: `${from}:${to}` };
    const child = spawn(process.execPath, ['--import', preload, '-e', program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const said = await new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())));
    expect(said).toBe('first');
    expect(statSync(path.join(to, 'tls/tls.key')).mode & 0o777).toBe(0o400);
    rmSync(path.join(from, 'tls/tls.key'));
    writeFileSync(path.join(from, 'tls/tls.key'), 'second', { mode: 0o440 });
    await eventually('the renewed file', () => readFileSync(path.join(to, 'tls/tls.key'), 'utf8') === 'second');
    expect(statSync(path.join(to, 'tls/tls.key')).mode & 0o777).toBe(0o400);
  });
});

/** Only root may change the root of a process, and pnpm makes the packages of an image. */
const chroot = findTool('chroot');
const canUnpack = process.getuid?.() === 0 && chroot !== undefined && findTool('pnpm') !== undefined;

// It takes half a minute, so `npm run check:deploy` runs it and `npm test` does not.
describe.skipIf(!canUnpack || process.env.GERBANG_CHECK_DEPLOY === undefined)('npm run image', () => {
  const unpacked = path.join(folder, 'root');
  let start: Start;
  beforeAll(() => {
    execFileSync(process.execPath, [path.join(root, 'tools/deploy/src/image/build.ts'), 'checkout', '--out', folder], {
      stdio: 'pipe',
    });
    start = unpackImage(path.join(folder, 'gerbang-checkout.tar'), unpacked);
  }, 180_000);

  test('has a bill of materials, licences, no shell, and of the workspace only what the service needs', () => {
    const sbom = JSON.parse(readFileSync(path.join(unpacked, 'usr/share/doc/gerbang/sbom.cdx.json'), 'utf8'));
    const names = sbom.components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['fastify', 'zod']));
    expect(names).not.toContain('vitest');
    for (const file of ['gerbang/LICENSE', 'node/LICENSE', 'libc6/copyright'])
      expect(existsSync(path.join(unpacked, 'usr/share/doc', file)), file).toBe(true);
    for (const file of [
      'bin/sh',
      'usr/bin/sh',
      'usr/bin/npm',
      'app/services/edge',
      'app/packages/testkit',
      'app/node_modules/.pnpm/vitest',
    ])
      expect(existsSync(path.join(unpacked, file)), file).toBe(false);
  });

  test('starts the service from its own root, as a user without rights, and without core files', async () => {
    const [admin, pay] = [String(await freePort()), String(await freePort())];
    const none = '127.0.0.1:1';
    const env = {
      GERBANG_ENV: 'sandbox',
      ADMIN_PORT: admin,
      PAY_PORT: pay,
      MONEY_IN_RPC: none,
      DIRECT_DEBIT_RPC: none,
      CARDS_RPC: none,
    };
    expect(start.user).toBe('65532:65532');
    const child = spawn(chroot ?? '', [`--userspec=${start.user}`, unpacked, ...start.entrypoint], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const said: string[] = [];
    child.stderr.on('data', (data) => said.push(String(data)));
    const lives = async () =>
      child.exitCode !== null || (await (await fetch(`http://127.0.0.1:${admin}/livez`)).text()) === 'ok\n';
    await eventually('the service lives', lives, 60_000);
    expect(child.exitCode, said.join('')).toBeNull();
    const limits = readFileSync(`/proc/${child.pid}/limits`, 'utf8');
    expect(/^Max core file size +(\S+)/m.exec(limits)?.[1]).toBe('0');
    expect(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]).toBe('65532');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }, 120_000);
});
