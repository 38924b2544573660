import { inspect } from 'node:util';
import type { Storable } from '@gerbang/core';
import { CardData } from '@gerbang/rails/card';
import { expect, expectTypeOf, test } from 'vitest';
import type { PaymentDocument } from './document.ts';

const NUMBER = '4411111111111118';
const CVV = '737';
const card = new CardData({ number: NUMBER, expiry: '12/39', cvv: CVV, holderName: 'BUDI' });

test('the compiler refuses a card in a stored type, at any depth', () => {
  expectTypeOf<Storable<{ card: CardData }>['card']>().toBeNever();
  expectTypeOf<Storable<{ a: { b: CardData[] } }>['a']['b'][number]>().toBeNever();
  expectTypeOf<Storable<{ at: Date; sen: bigint; bytes: Uint8Array; text?: string }>>().toEqualTypeOf<{
    at: Date;
    sen: bigint;
    bytes: Uint8Array;
    text?: string;
  }>();
  // @ts-expect-error a card is no field of a payment
  const stored: Partial<PaymentDocument> = { reason: card };
  expect(stored.reason).toBe(card);
});

test('a card leaves no digit in JSON, text or the inspector', () => {
  const nested = { payment: { card } };
  const written = [
    JSON.stringify(nested),
    String(card),
    inspect(nested, { depth: 9, showHidden: true }),
    JSON.stringify({ ...card }),
  ].join('\n');
  expect(written).not.toContain(CVV);
  expect(written).not.toContain(NUMBER.slice(4, 12));
});
