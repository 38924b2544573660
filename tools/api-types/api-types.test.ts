import { expect, test } from 'vitest';
import { API_TYPES, apiTypes } from './api-types.ts';

test('test/support/api.d.ts is what docs/openapi.json says; npm run generate writes it again', async () => {
  await expect(await apiTypes()).toMatchFileSnapshot(API_TYPES);
});
