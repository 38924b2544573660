import { newUlid } from '@gerbang/core';
import { CardData } from '@gerbang/rails/card';
import { testLog } from '@gerbang/testkit';
import { expect, test } from 'vitest';
import { openFingerprint } from '../src/vault/fingerprint.ts';
import { sealedPlaces } from '../src/vault/sealed-places.ts';
import { openVault } from '../src/vault/vault.ts';
import { CVV, card, NUMBER, testKeys, useParts } from './parts-harness.ts';

const parts = useParts();
const noUse = async () => false;
const newMerchant = () => newUlid(Date.now());

type TokenRow = { _id: string; merchant_id: string; sealed: string };
const rows = (filter: object) => parts.store().collection<TokenRow>('card_tokens').find(filter).toArray();

test('a card of a merchant has one token, another merchant another one, and it comes back without its security code', async () => {
  const vault = parts.vault();
  const [one, two] = [newMerchant(), newMerchant()];
  const tokens = await Promise.all([vault.keep(one, card(), 'a'), vault.keep(one, card(), 'b'), vault.keep(two, card(), 'c')]);
  expect(tokens[0]).toBe(tokens[1]);
  expect(tokens[2]).not.toBe(tokens[0]);
  const revealed = await vault.reveal({ merchantId: one, token: tokens[0] }, 'BUDI');
  expect(revealed?.reveal()).toEqual({ number: NUMBER, expiry: '12/39', cvv: undefined, holderName: 'BUDI' });
  expect(await vault.reveal({ merchantId: two, token: tokens[0] }, 'BUDI')).toBeUndefined();
});

test('each token has a data key of its own, and one that is copied to another merchant or token opens nothing', async () => {
  const vault = parts.vault();
  const merchantId = newMerchant();
  const other = new CardData({ number: '5555555555554444', expiry: '12/39', cvv: CVV, holderName: 'BUDI' });
  const [a, b] = [await vault.keep(merchantId, card(), 'a'), await vault.keep(merchantId, other, 'a')];
  const [first, second] = [await rows({ _id: a }), await rows({ _id: b })].map(([row]) => row ?? expect.fail('no token'));
  if (first === undefined || second === undefined) return expect.fail('no tokens');
  expect(first.sealed).not.toBe(second.sealed);
  await parts
    .store()
    .collection<TokenRow>('card_tokens')
    .updateOne({ _id: b }, { $set: { sealed: first.sealed } });
  await expect(vault.reveal({ merchantId, token: b }, 'BUDI')).rejects.toThrow();
  await vault.release(merchantId, 'a', noUse);
});

test('the last user takes the card with it, and the next one who keeps it gets another token', async () => {
  const vault = parts.vault();
  const merchantId = newMerchant();
  const token = await vault.keep(merchantId, card(), 'a');
  await vault.keep(merchantId, card(), 'b');
  await vault.release(merchantId, 'a', noUse);
  expect(await vault.reveal({ merchantId, token }, 'BUDI')).toBeDefined();
  await vault.release(merchantId, 'b', noUse);
  expect(await vault.reveal({ merchantId, token }, 'BUDI')).toBeUndefined();
  expect(await rows({ merchant_id: merchantId })).toEqual([]);
  expect(await vault.keep(merchantId, card(), 'c')).not.toBe(token);
});

test('is sealed again under the newest key; two processes have the same fingerprints', async () => {
  const merchantId = newMerchant();
  const token = await parts.vault().keep(merchantId, card(), 'a');
  const keys = testKeys('k2', 'k1');
  const store = parts.store();
  for (const place of sealedPlaces({ store, keys, log: testLog() })) {
    expect((await place.reseal('')).failed).toBe(0);
    expect((await place.reseal('')).resealed).toBe(0);
  }
  const rotated = await openVault(store, testKeys('k2'));
  expect((await rotated.reveal({ merchantId, token }, 'BUDI'))?.reveal().number).toBe(NUMBER);
  expect(await rotated.keep(merchantId, card(), 'b')).toBe(token);
  const [one, two] = await Promise.all([openFingerprint(store, testKeys('k2')), openFingerprint(store, keys)]);
  expect(one(merchantId, card())).toBe(two(merchantId, card()));
  expect(one(newMerchant(), card())).not.toBe(one(merchantId, card()));
});
