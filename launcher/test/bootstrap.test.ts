import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const bootstrap = path.resolve(import.meta.dirname, '../bootstrap');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gerbang-bootstrap-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a module's text as the bootstrap runs: plain JavaScript in a process of its own. */
async function script(text: string, env: Record<string, string> = {}): Promise<{ code: number; stdout: string; stderr: string }> {
  const file = path.join(folder, `script-${randomUUID()}.mjs`);
  writeFileSync(file, text.replaceAll('bootstrap/', `${bootstrap}/`));
  try {
    return { code: 0, ...(await run(process.execPath, [file], { env: { ...process.env, ...env } })) };
  } catch (error) {
    if (!(error instanceof Error && 'stdout' in error && 'stderr' in error && 'code' in error)) throw error;
    return { code: Number(error.code), stdout: String(error.stdout), stderr: String(error.stderr) };
  }
}

function command(name: string, text: string): string {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`);
  chmodSync(path.join(bin, name), 0o755);
  return bin;
}

describe('a tool', () => {
  const install = (work: string) => `
    import { ensureTool } from 'bootstrap/tools.mjs';
    import { writeFileSync } from 'node:fs';
    const folder = await ensureTool('${folder}/tools', { tool: 'Thing', version: '1.2.3' }, async (temporary) => { ${work} });
    console.log(folder);`;

  test('is installed once', async () => {
    const first = await script(install(`writeFileSync(temporary + '/binary', 'x'); console.log('installing');`));
    expect(first.stdout).toBe(`installing\n${folder}/tools/thing-1.2.3\n`);
    expect(first.stderr).toMatch(/✓ Thing 1\.2\.3 {2}\d+\.\d s/);
    const second = await script(install(`console.log('installing');`));
    expect(second).toEqual({ code: 0, stdout: `${folder}/tools/thing-1.2.3\n`, stderr: '' });
    expect(JSON.parse(readFileSync(`${folder}/tools/thing-1.2.3/installed.json`, 'utf8'))).toMatchObject({ version: '1.2.3' });
  });

  test('that could not be installed leaves nothing, and neither does one that was cut off', async () => {
    expect((await script(install(`writeFileSync(temporary + '/half', 'x'); throw new Error('no');`))).code).toBe(1);
    expect(readdirSync(`${folder}/tools`)).toEqual([]);
    expect((await script(install(`writeFileSync(temporary + '/half', 'x'); process.exit(9);`))).code).toBe(9);
    expect(existsSync(`${folder}/tools/thing-1.2.3`)).toBe(false);
    expect((await script(install(`writeFileSync(temporary + '/binary', 'x');`))).code).toBe(0);
    expect(readdirSync(`${folder}/tools`)).toEqual(['thing-1.2.3']);
    expect(readdirSync(`${folder}/tools/thing-1.2.3`).toSorted()).toEqual(['binary', 'installed.json']);
  });
});

describe('schemathesis', () => {
  const text = () => {
    writeFileSync(`${folder}/requirements.txt`, 'schemathesis==1.2.3\n');
    return `
      import { ensureSchemathesis } from 'bootstrap/schemathesis.mjs';
      console.log(await ensureSchemathesis('${folder}/tools', '${folder}/requirements.txt'));`;
  };

  test.each([
    ['there is no Python', ''],
    ['Python is too old or has no venv', 'exit 1'],
  ])('is not there where %s', async (_, python) => {
    const bin = command('python3', python);
    if (python === '') rmSync(`${bin}/python3`);
    expect(await script(text(), { PATH: bin })).toEqual({ code: 0, stdout: 'undefined\n', stderr: '' });
  });

  test('is installed once into a virtual environment', async () => {
    const python = 'case "$1" in -c) echo "3.12.1 x86_64";; -m) mkdir -p "$3/bin" && cp "$0" "$3/bin/python";; esac';
    const bin = command('python3', `case "$*" in *"pip"*) exit 0;; esac\n${python}`);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const first = await script(text(), env);
    expect(first.stdout).toMatch(/\/tools\/schemathesis-1\.2\.3-[0-9a-f]{12}\/bin\/python\n$/);
    expect(existsSync(first.stdout.trim())).toBe(true);
    expect(await script(text(), env)).toEqual({ code: 0, stdout: first.stdout, stderr: '' });
  });

  test('that can not be installed says why', async () => {
    const bin = command('python3', 'case "$1" in -c) exit 0;; esac\necho "Could not connect"; exit 1');
    const { code, stderr } = await script(text(), { PATH: `${bin}:${process.env.PATH}` });
    expect(code).toBe(1);
    expect(stderr).toMatch(/python3 could not make a virtual environment: the network/);
  });
});

describe('without a network', () => {
  test('a missing pnpm is told with what to install and the variable that names it', async () => {
    const bin = command('npm', 'echo "npm error code EAI_AGAIN" >&2; exit 1');
    const text = `
      import { ensurePnpm } from 'bootstrap/tools.mjs';
      await ensurePnpm('${folder}/tools').catch((error) => { console.error(error.message); process.exit(3); });`;
    const { code, stderr } = await script(text, { PATH: bin, npm_execpath: '', GERBANG_PNPM: '' });
    expect(code).toBe(3);
    expect(stderr).toMatch(/npm could not install pnpm@\d+\.\d+\.\d+: the network \(or its proxy\) does not answer/);
    expect(stderr).toMatch(/set GERBANG_PNPM to its binary/);
    expect(stderr).toMatch(/npm error code EAI_AGAIN/);
  });

  test('a missing nats-server is told with where it is had', async () => {
    const bin = command('apt-get', 'echo "E: Temporary failure resolving deb.debian.org"; exit 100');
    command('dpkg', 'exit 1');
    const text = `
      import { ensureNats } from 'bootstrap/nats.mjs';
      await ensureNats('${folder}/tools').catch((error) => { console.error(error.message); process.exit(3); });`;
    const { code, stderr } = await script(text, { PATH: bin, GERBANG_NATS_SERVER: '' });
    expect(code).toBe(3);
    expect(stderr).toMatch(/nats-server: the network \(or its proxy\) does not answer/);
    for (const remedy of ['https://github.com/nats-io/nats-server/releases', 'GERBANG_NATS_SERVER', 'NATS_URL']) {
      expect(stderr).toContain(remedy);
    }
  });
});

test('one command installs at a time; a lock of a process that is gone counts for nothing', async () => {
  const text = `
    import { takeInstallLock } from 'bootstrap/install-lock.mjs';
    import { appendFileSync } from 'node:fs';
    const letGo = await takeInstallLock('${folder}/tools');
    appendFileSync('${folder}/order', 'in ');
    await new Promise((resolve) => setTimeout(resolve, 100));
    appendFileSync('${folder}/order', 'out ');
    letGo();`;
  mkdirSync(`${folder}/tools`);
  writeFileSync(`${folder}/tools/.lock`, '4194300');
  await Promise.all([script(text), script(text), script(text)]);
  expect(readFileSync(`${folder}/order`, 'utf8')).toBe('in out in out in out ');
});
