import { create, toBinary } from '@bufbuild/protobuf';
import {
  EwalletCheckoutEventSchema,
  EwalletCheckoutSchema,
  PayableStatus,
  QrisEventSchema,
  QrisTransactionSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { expect, test } from 'vitest';
import { EVENT_CATALOGUE, EWALLET_WORDS, presentEvent, QRIS_WORDS, statusOfWord } from '../src/index.ts';

const event = (type: string, payload: Uint8Array) => ({ type, schema: 1, payload, atMs: 0 });

test('merchants are notified of a reversed QRIS payment, by the webhook that reported the payment', () => {
  const qrisTransaction = create(QrisTransactionSchema, { status: PayableStatus.REVERSED });
  const payload = toBinary(QrisEventSchema, create(QrisEventSchema, { qrisTransaction }));
  expect(presentEvent(EVENT_CATALOGUE, 'money-in', event('qris.reversed', payload))).toMatchObject({
    webhook: {
      event: 'qris-transaction',
      setting: 'transaction_notif_url',
      body: { data: { status: 'reversed', status_computed: 'reversed' } },
    },
  });
});

test('of an e-wallet checkout they hear that it has failed, for it has no other word', () => {
  const ewalletCheckout = create(EwalletCheckoutSchema, { status: PayableStatus.FAILED, channel: 'OVO' });
  const payload = toBinary(EwalletCheckoutEventSchema, create(EwalletCheckoutEventSchema, { ewalletCheckout }));
  expect(presentEvent(EVENT_CATALOGUE, 'money-in', event('ewallet-checkout.reversed', payload))).toMatchObject({
    webhook: { event: 'ewallet-transaction', body: { data: { status: 'failed' } } },
  });
});

test('a word that statuses share asks for the one that it is about', () => {
  expect(statusOfWord(EWALLET_WORDS, 'failed')).toBe(PayableStatus.FAILED);
  expect(statusOfWord(QRIS_WORDS, 'reversed')).toBe(PayableStatus.REVERSED);
  expect(statusOfWord(QRIS_WORDS, 'paid')).toBeUndefined();
});
