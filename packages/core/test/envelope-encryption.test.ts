import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseKeyRing, seal, unseal } from '../src/index.ts';

const key = () => randomBytes(32).toString('base64');

function ring(text: string) {
  const parsed = parseKeyRing(text);
  if (parsed === undefined) throw new Error('no key ring');
  return parsed;
}

test('keys rotate with overlap', () => {
  const [one, two] = [key(), key()];
  const sealed = seal(ring(`k1:${one}`), Buffer.from('secret'), 'merchant-1');
  expect(unseal(ring(`k2:${two},k1:${one}`), sealed, 'merchant-1').toString()).toBe('secret');
  expect(seal(ring(`k2:${two},k1:${one}`), Buffer.from('x'), '').kid).toBe('k2');
  expect(() => unseal(ring(`k2:${two}`), sealed, 'merchant-1')).toThrow('k1');
});

test('whose secret it is can’t be changed, nor the secret', () => {
  const keys = ring(`k1:${key()}`);
  const sealed = seal(keys, Buffer.from('secret'), 'merchant-1');
  expect(() => unseal(keys, sealed, 'merchant-2')).toThrow();
  expect(() => unseal(keys, { ...sealed, data: Buffer.from('secreT') }, 'merchant-1')).toThrow();
});

test.each(['', 'k1', 'k1:short', `k1:${key()},k1:${key()}`, `:${key()}`, `k1:${key()}:x`])('%j is no key ring', (text) =>
  expect(parseKeyRing(text)).toBeUndefined(),
);
