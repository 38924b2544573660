import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** Where each version is pinned that docs/clients.md tells merchants to install. */
const PINNED: [file: string, pin: RegExp, command: string][] = [
  ['tools/api-types/package.json', /"openapi-typescript": "([\d.]+)"/, 'openapi-typescript@'],
  ['test/package.json', /"openapi-fetch": "([\d.]+)"/, 'openapi-fetch@'],
  ['test/clients/python/requirements.txt', /^openapi-python-client==([\d.]+)$/m, 'openapi-python-client=='],
  ['test/clients/go/go.mod', /oapi-codegen\/v2 v([\d.]+)/, 'oapi-codegen/v2/cmd/oapi-codegen@v'],
  ['test/clients/go/go.mod', /oapi-codegen\/runtime v([\d.]+)/, 'oapi-codegen/runtime@v'],
];

test.each(PINNED)('docs/clients.md installs what %s pins', (file, pin, command) => {
  const version = pin.exec(read(file))?.[1];
  expect(version).toBeDefined();
  expect(read('docs/clients.md')).toContain(`${command}${version}`);
});
