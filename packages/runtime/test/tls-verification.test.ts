import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** A service that starts and ends at once. */
function runs(environment: string, value: string) {
  const runtime = JSON.stringify(new URL('../src/index.ts', import.meta.url).href);
  const script = `import { runService } from ${runtime};
    await runService('shop', async () => ({ close: async () => {} })); console.log('started'); process.exit(0);`;
  const args = ['-c', 'ulimit -c 0; exec "$0" "$@"', process.execPath, '--disable-sigusr1', '--input-type=module', '-e', script];
  const env = { PATH: process.env.PATH, GERBANG_ENV: environment, NODE_TLS_REJECT_UNAUTHORIZED: value };
  return spawnSync('sh', args, { encoding: 'utf8', env });
}

test('production does not start where certificates are not verified; a sandbox does', () => {
  const refused = runs('production', '0');
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toContain('shop: NODE_TLS_REJECT_UNAUTHORIZED is 0');
  expect(runs('production', '1')).toMatchObject({ status: 0, stdout: 'started\n' });
  expect(runs('sandbox', '0')).toMatchObject({ status: 0, stdout: 'started\n' });
});
