import path from 'node:path';
import { expect, test } from 'vitest';
import { signatureVectors } from './vectors.ts';

const FILE = path.join(import.meta.dirname, '../../../../docs/signature-vectors.json');

/** `npm test -- services/notifier/test/webhooks -u` writes it anew. */
test('docs/signature-vectors.json is what the gateway computes', async () => {
  await expect(`${JSON.stringify(signatureVectors(), undefined, 2)}\n`).toMatchFileSnapshot(FILE);
});
