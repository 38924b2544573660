import { randomBytes } from 'node:crypto';
import { bodyHash, parseKeyRing, sealToken } from '@gerbang/core';
import { expect, test } from 'vitest';
import { deliveryOf } from '../../test/webhooks/delivery.ts';
import { withToken } from './with-token.ts';

const TOKEN = '12345678901234567890';
const keyRing = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);
const other = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);
const BODY = '{"data":{"price":"52500","token":null},"event":"biller-payment"}';
const plain = deliveryOf('e1', 'https://merchant.example/hook', BODY, 0);

function sealed(referenceNumber = 'r-1') {
  if (keyRing === undefined) throw new Error('no key ring');
  return { ...plain, sealedToken: { referenceNumber, text: sealToken(keyRing, 'r-1', TOKEN) } };
}

test('the token is in the body that goes out, and in its hash', () => {
  const sent = withToken(sealed(), keyRing);
  expect(sent.body).toBe(BODY.replace('null', `"${TOKEN}"`));
  expect(sent.bodyHash).toBe(bodyHash({ event: 'biller-payment', data: { token: TOKEN, price: '52500' } }));
  expect(JSON.stringify(sealed(), (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(TOKEN);
});

test('a delivery without a token stays as it is', () => expect(withToken(plain, undefined)).toBe(plain));

test('without the key, or for another purchase, nothing is opened', () => {
  expect(() => withToken(sealed(), undefined)).toThrow('GERBANG_KEKS');
  expect(() => withToken(sealed(), other)).toThrow();
  expect(() => withToken(sealed('r-2'), keyRing)).toThrow();
});
