import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openToken, parseKeyRing, sealToken } from '../src/index.ts';

const TOKEN = '12345678901234567890';

function ring(text: string) {
  const parsed = parseKeyRing(text);
  if (parsed === undefined) throw new Error('no key ring');
  return parsed;
}
const newKey = (kid: string) => `${kid}:${randomBytes(32).toString('base64')}`;

test('a token opens for its purchase alone, also after the keys have rotated', () => {
  const [one, two] = [newKey('k1'), newKey('k2')];
  const sealed = sealToken(ring(one), 'r-1', TOKEN);
  expect(sealed).not.toContain(TOKEN);
  expect(openToken(ring(`${two},${one}`), 'r-1', sealed)).toBe(TOKEN);
  expect(() => openToken(ring(one), 'r-2', sealed)).toThrow();
  expect(() => openToken(ring(two), 'r-1', sealed)).toThrow('k1');
  for (const text of ['', 'k1', TOKEN, `${sealed}:x`]) expect(() => openToken(ring(one), 'r-1', text)).toThrow();
});
