import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gerbang-counts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function countsOf(passed: number, failed: number, skipped: number, todo: number): string {
  const counts = { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, numTodoTests: todo };
  return JSON.stringify(counts);
}

function run(file: string, args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(file, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the sum of the counts of several runs', () => {
  const sum = (...runs: string[]) => run(process.execPath, [path.join(root, 'launcher/sum-test-counts.mjs'), folder, ...runs]);

  test('is one line', () => {
    writeFileSync(path.join(folder, 'a.json'), countsOf(10, 0, 2, 1));
    writeFileSync(path.join(folder, 'b.json'), countsOf(5, 0, 0, 0));
    expect(sum('a', 'b')).toEqual({ status: 0, stdout: '15 passed, 0 failed, 3 skipped\n', stderr: '' });
    expect(sum('b')).toEqual({ status: 0, stdout: '5 passed, 0 failed\n', stderr: '' });
  });

  test('is a failure where a test has failed, or a run has left no counts or run no test', () => {
    writeFileSync(path.join(folder, 'a.json'), countsOf(10, 1, 0, 0));
    expect(sum('a')).toEqual({ status: 1, stdout: '10 passed, 1 failed\n', stderr: '' });
    expect(sum('b')).toMatchObject({ status: 1, stderr: expect.stringContaining('b has left no counts') });
    writeFileSync(path.join(folder, 'b.json'), '{"numPassedTests":"many"}');
    expect(sum('b')).toMatchObject({ status: 1, stderr: expect.stringContaining('b has left no counts') });
    writeFileSync(path.join(folder, 'b.json'), countsOf(0, 0, 3, 0));
    expect(sum('b')).toMatchObject({ status: 1, stderr: 'b has run no test\n' });
    expect(sum()).toMatchObject({ status: 1, stderr: 'no runs were named\n' });
  });

  test('names what has failed, and why', () => {
    const failing = (file: string, body: string) => {
      const target = path.join(folder, file);
      writeFileSync(target, `import { expect, test } from 'vitest';\n${body}\n`);
      return target;
    };
    failing('one.test.ts', "test('adds up', () => expect(1 + 1).toBe(3));\ntest('is', () => expect(1).toBe(1));");
    failing('two.test.ts', "throw new Error('not loaded');\ntest('is', () => {});");
    const { VITEST: _inner, ...env } = process.env;
    const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
    const args = ['run', '--root', folder, '--reporter=json', `--outputFile.json=${path.join(folder, 'a.json')}`];
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    expect(spawnSync(process.execPath, [vitest, ...args], { cwd: folder, env, encoding: 'utf8' }).status).toBe(1);
    const { status, stdout, stderr } = sum('a');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '1 passed, 1 failed\n' });
    expect(stderr).toContain('one.test.ts: adds up: AssertionError: expected 2 to be 3');
    expect(stderr).toContain('two.test.ts: not loaded');
    expect(stderr).not.toContain(': is');
  });
});

/** The real script in a folder of its own, with an npm that does what `cases` says of `$*`. */
function ci(cases: string) {
  const [bin, copy] = [path.join(folder, 'bin'), path.join(folder, 'copy')];
  for (const made of [bin, path.join(copy, 'launcher')]) mkdirSync(made, { recursive: true });
  cpSync(path.join(root, '.ci/run'), path.join(copy, '.ci/run'));
  cpSync(path.join(root, 'launcher/sum-test-counts.mjs'), path.join(copy, 'launcher/sum-test-counts.mjs'));
  writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\ncase "$*" in\n${cases}\nesac\n`);
  chmodSync(path.join(bin, 'npm'), 0o755);
  return run(path.join(copy, '.ci/run'), [], { PATH: `${bin}${path.delimiter}${process.env.PATH}` });
}

describe('.ci/run', () => {
  const TESTS = `'test --silent') echo '${countsOf(20, 0, 3, 0)}' > "$GERBANG_TEST_COUNTS/test.json" ;;`;
  const CLIENTS = `*check:clients) echo '${countsOf(4, 0, 0, 0)}' > "$GERBANG_TEST_COUNTS/check-clients.json" ;;`;

  test('ends with the counts of all runs', () => {
    const { status, stdout } = ci(`${TESTS}\n${CLIENTS}`);
    expect({ status, lines: stdout.split('\n').slice(-3) }).toEqual({
      status: 0,
      lines: ['All checks and tests passed.', '24 passed, 0 failed, 3 skipped', ''],
    });
  });

  test.each([
    ['a run leaves no counts', TESTS, 'FAILED: counting the tests\n'],
    ['a check fails', `${TESTS}\n${CLIENTS}\n'run --silent check') exit 1 ;;`, 'FAILED: npm run check\n'],
    ['the tests fail', `'test --silent') exit 1 ;;\n${CLIENTS}`, 'FAILED: npm test\nFAILED: counting the tests\n'],
  ])('fails where %s', (_what, cases, reason) => {
    expect(ci(cases)).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) });
  });
});

test('npm test leaves the counts of vitest', () => {
  const { VITEST: _inner, ...env } = process.env;
  const main = path.join(root, 'launcher/main.ts');
  const args = ['test', '--', 'launcher/test/ports.test.ts'];
  const ran = spawnSync(process.execPath, [main, ...args], {
    cwd: root,
    env: { ...env, GERBANG_TEST_COUNTS: folder },
    encoding: 'utf8',
  });
  expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining('npm test: passed') });
  const passed = Number(/Tests\s+(\d+) passed/.exec(stripVTControlCharacters(ran.stdout))?.[1]);
  expect(run(process.execPath, [path.join(root, 'launcher/sum-test-counts.mjs'), folder, 'test']).stdout).toBe(
    `${passed} passed, 0 failed\n`,
  );
});
