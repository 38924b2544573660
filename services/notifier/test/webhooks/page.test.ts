import path from 'node:path';
import { type CatalogueEntry, EVENT_CATALOGUE } from '@gerbang/present';
import { expect, test } from 'vitest';
import { webhooksPage } from './page.ts';
import { SAMPLES } from './samples.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');

/** `npm test -- services/notifier/test/webhooks -u` writes it anew. */
test('docs/webhooks.md shows what the code makes', async () => {
  await expect(webhooksPage()).toMatchFileSnapshot(path.join(ROOT, 'docs/webhooks.md'));
});

test('every event of the catalogue that is a webhook has its payload on the page', () => {
  const types = Object.entries(EVENT_CATALOGUE).flatMap(([service, entries]) => {
    const ofService: Readonly<Record<string, CatalogueEntry>> = entries;
    return Object.keys(ofService).flatMap((type) => ('render' in (ofService[type] ?? {}) ? [`${service}/${type}`] : []));
  });
  expect(types.length).toBeGreaterThan(10);
  expect(SAMPLES.map(({ service, type }) => `${service}/${type}`).sort()).toEqual(types.sort());
});
