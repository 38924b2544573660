import { createCipheriv } from 'node:crypto';
import { expect, test } from 'vitest';
import { fromSealedDocument, openFor, openText, parseKeyRing, sealFor, sealText, toSealedDocument } from '../src/index.ts';

const key = Buffer.alloc(32, 'k');
const ring = parseKeyRing(`k1:${key.toString('base64')}`) ?? expect.fail('no key ring');
const secret = { purpose: 'customer-token', owner: 'binding-1' };

test('a text opens with its purpose and owner only', () => {
  const sealed = sealText(ring, secret, 'token');
  expect(openText(ring, secret, sealed)).toBe('token');
  expect(() => openText(ring, { ...secret, owner: 'binding-2' }, sealed)).toThrow();
  expect(() => openText(ring, { ...secret, purpose: 'charge-token' }, sealed)).toThrow();
  expect(() => openText(ring, secret, 'k1:abc')).toThrow('this is no sealed customer-token');
  expect(sealText(ring, secret, 'token')).not.toBe(sealed);
});

test('a document keeps its parts', () => {
  const sealed = sealFor(ring, secret, 'token');
  expect(openFor(ring, secret, fromSealedDocument(toSealedDocument(sealed)))).toBe('token');
});

test.each([
  ['withdrawal-code', 'TX1', 'withdrawal-code:TX1'],
  ['client-secret', 'M1:C1', 'client-secret:M1:C1'],
])('what was sealed as a %s before opens', (purpose, owner, associatedData) => {
  const iv = Buffer.alloc(12, 1);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(associatedData));
  const data = Buffer.concat([cipher.update('hidden'), cipher.final()]);
  const text = ['k1', ...[iv, data, cipher.getAuthTag()].map((bytes) => bytes.toString('base64'))].join(':');
  expect(openText(ring, { purpose, owner }, text)).toBe('hidden');
});
