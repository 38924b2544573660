import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { webhooksPage } from './page.ts';
import { SAMPLES } from './samples.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');

/** `npm test -- services/notifier/test/webhooks -u` writes it anew. */
test('docs/webhooks.md shows what the code makes', async () => {
  await expect(webhooksPage()).toMatchFileSnapshot(path.join(ROOT, 'docs/webhooks.md'));
});

test('every event that packages/present renders has its payload on the page', () => {
  const files = globSync('packages/present/src/*webhook.ts', { cwd: ROOT });
  const types = files.flatMap((file) => {
    const service = /([a-z-]+)-webhook\.ts$/.exec(file)?.[1];
    const cases = readFileSync(path.join(ROOT, file), 'utf8').matchAll(/case '([a-z-]+\/)?([a-z.-]+)'/g);
    return [...cases].map(([, prefix = `${service}/`, type]) => `${prefix}${type}`);
  });
  expect(types.length).toBeGreaterThan(10);
  expect(SAMPLES.map(({ service, type }) => `${service}/${type}`).sort()).toEqual(types.sort());
});
