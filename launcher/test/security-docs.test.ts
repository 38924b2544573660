import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const text = readFileSync(path.join(root, 'docs/security.md'), 'utf8');
const named = [...new Set(text.match(/(?:[\w-]+\/)+[\w.-]+\.ts\b/g))];

test('every test that docs/security.md names is there', () => {
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

test('every threat names a test, or says that there is none yet', () => {
  const [, threats = ''] = text.split('## Threat model');
  const rows = (threats.split('## OWASP')[0] ?? '').split('\n').filter((line) => /^\| [STRIDE](?:, [STRIDE])*: /.test(line));
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.filter((row) => !/\.ts|packages\/rails\/test|none yet/.test(row))).toEqual([]);
});
