import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { memoryDumpFaults } from '../src/memory-dumps.ts';

const SAFE = { flags: ['--disable-sigusr1', '--max-semi-space-size=32'], nodeOptions: '', coreFileBytes: '0' };

test('a process that can write nothing of its memory has no faults', () => {
  expect(memoryDumpFaults(SAFE)).toEqual([]);
  expect(memoryDumpFaults({ ...SAFE, flags: [], nodeOptions: '--disable-sigusr1 --max-old-space-size=512' })).toEqual([]);
});

test.each([
  '--inspect',
  '--inspect=0.0.0.0:9229',
  '--inspect-brk',
  '--inspect-wait',
  '--heapsnapshot-signal=SIGUSR2',
  '--heapsnapshot-near-heap-limit=3',
  '--heapsnapshot_near_heap_limit=3',
  '--heap-prof',
  '--report-on-fatalerror',
  '--report-on-signal',
  '--report-uncaught-exception',
  '--abort-on-uncaught-exception',
  '--experimental-default-config-file',
  '--tls-keylog=/tmp/keys',
  '--no-disable-sigusr1',
])('%s is refused as a flag and in NODE_OPTIONS', (flag) => {
  expect(memoryDumpFaults({ ...SAFE, flags: [...SAFE.flags, flag] })).toHaveLength(1);
  expect(memoryDumpFaults({ ...SAFE, nodeOptions: `--no-warnings ${flag}` })).toHaveLength(1);
});

test.each(['"--inspect"', '"--inspect=0.0.0.0:9229"', '"--ins\\pect"'])(
  '%s is refused in NODE_OPTIONS as Node reads it',
  (quoted) => {
    expect(memoryDumpFaults({ ...SAFE, nodeOptions: quoted })).toHaveLength(1);
  },
);

test('a debugger by signal and core files are refused', () => {
  expect(memoryDumpFaults({ ...SAFE, flags: [] })).toEqual([expect.stringContaining('SIGUSR1')]);
  expect(memoryDumpFaults({ ...SAFE, coreFileBytes: 'unlimited' })).toEqual([expect.stringContaining('ulimit -c 0')]);
});

/** A service that starts and ends at once, under a shell's limit of core files. */
function runs(environment: string, nodeOptions: string, limit: string) {
  const runtime = JSON.stringify(new URL('../src/index.ts', import.meta.url).href);
  const script = `import { runService } from ${runtime};
    await runService('shop', async () => ({ close: async () => {} })); console.log('started'); process.exit(0);`;
  return spawnSync('sh', ['-c', `ulimit -c ${limit}; exec "$0" "$@"`, process.execPath, '--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, GERBANG_ENV: environment, NODE_OPTIONS: nodeOptions },
  });
}

test.runIf(process.platform === 'linux')('production starts only without them; a sandbox starts with them', () => {
  const unsafe = '--disable-sigusr1 --heapsnapshot-signal=SIGUSR2';
  const refused = runs('production', unsafe, '0');
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^shop: Node is started with --heapsnapshot-signal, .*\n$/);
  expect(runs('production', '--disable-sigusr1', '0')).toMatchObject({ status: 0, stdout: 'started\n' });
  expect(runs('sandbox', unsafe, '0')).toMatchObject({ status: 0, stdout: 'started\n' });
});
