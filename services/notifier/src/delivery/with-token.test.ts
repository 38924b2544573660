import { randomBytes } from 'node:crypto';
import { bodyHash, parseKeyRing } from '@gerbang/core';
import { createKeys, openEnvKeys, prepaidToken } from '@gerbang/keys';
import { expect, test } from 'vitest';
import { deliveryOf } from '../../test/webhooks/delivery.ts';
import { withToken } from './with-token.ts';

const TOKEN = '12345678901234567890';
const newKeys = () => {
  const ring = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`) ?? expect.fail('no key ring');
  return createKeys(['prepaid-token'], [openEnvKeys(ring)]);
};
const keys = newKeys();
const BODY = '{"data":{"price":"52500","token":null},"event":"biller-payment"}';
const plain = deliveryOf('e1', 'https://merchant.example/hook', BODY, 0);

async function sealed(referenceNumber = 'r-1') {
  return { ...plain, sealedToken: { referenceNumber, text: await keys.seal(prepaidToken('r-1'), TOKEN) } };
}

test('the token is in the body that goes out, and in its hash', async () => {
  const sent = await withToken(await sealed(), keys);
  expect(sent.body).toBe(BODY.replace('null', `"${TOKEN}"`));
  expect(sent.bodyHash).toBe(bodyHash({ event: 'biller-payment', data: { token: TOKEN, price: '52500' } }));
  expect(JSON.stringify(await sealed(), (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(TOKEN);
});

test('a delivery without a token stays as it is', async () => expect(await withToken(plain, undefined)).toBe(plain));

test('without the key, or for another purchase, nothing is opened', async () => {
  await expect(withToken(await sealed(), undefined)).rejects.toThrow('KEYS');
  await expect(withToken(await sealed(), newKeys())).rejects.toThrow();
  await expect(withToken(await sealed('r-2'), keys)).rejects.toThrow();
});
