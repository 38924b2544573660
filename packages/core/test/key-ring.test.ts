import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseKeyRing } from '../src/index.ts';

const key = () => randomBytes(32).toString('base64');

test('the first key is the current one', () => {
  const ring = parseKeyRing(`k2:${key()},k1:${key()}`);
  expect(ring?.currentKid).toBe('k2');
  expect([...(ring?.keys.keys() ?? [])]).toEqual(['k2', 'k1']);
});

test.each(['', 'k1', 'k1:short', `k1:${key()},k1:${key()}`, `:${key()}`, `k1:${key()}:x`])('%j is no key ring', (text) =>
  expect(parseKeyRing(text)).toBeUndefined(),
);
