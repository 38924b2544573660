import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CardData } from '../../src/card/index.ts';
import {
  authorisationRequest,
  captureAdvice,
  type Request,
  refundRequest,
  retrievalReference,
  reversal,
} from '../../src/card/iso8583/messages.ts';
import { readPrivateData, writePrivateData } from '../../src/card/iso8583/private-data.ts';
import { packMessage, unpackMessage } from '../../src/iso8583/index.ts';

/** Whole messages of both directions, with the bytes that pyiso8583, which shares no code with ours, has made of them. */
const recordedSchema = z.array(
  z.object({ name: z.string(), type: z.string(), fields: z.record(z.string(), z.string()), hex: z.string() }),
);
const RECORDED = recordedSchema.parse(
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../iso8583/recorded.json'), 'utf8')),
);

const ACCEPTOR = { terminalId: 'GERBANG1', merchantId: 'GERBANG00000001', acquirerId: '00000360001', city: 'JAKARTA' };
const NOW = Date.UTC(2026, 10, 22, 10, 0, 0);
const PAYMENT = { reference: '9901JD9Z5V5Y8QW1R2T3Y4V5X6P7', amountSen: '25000000' };
const APPROVED = { ...PAYMENT, approvalCode: '123456' };
const REFUND = { ...PAYMENT, refundReference: `${PAYMENT.reference}R1` };
const ORDER = {
  ...PAYMENT,
  installmentMonths: 1,
  merchantReference: 'o-1',
  merchantName: 'Kopi Kenangan Déjà',
  returnUrl: 'https://pay.example/',
};
const card = (cvv: string | undefined) => new CardData({ number: '4411111111111118', expiry: '12/39', cvv, holderName: 'BUDI' });

const BUILT: Readonly<Record<string, Request>> = {
  'an authorisation': authorisationRequest(ACCEPTOR, ORDER, card('123'), NOW),
  'an authorisation in installments': authorisationRequest(ACCEPTOR, { ...ORDER, installmentMonths: 6 }, card('123'), NOW),
  'a charge without the customer': authorisationRequest(
    ACCEPTOR,
    { ...ORDER, initiated: 'merchant', networkTransactionId: '000123456789012' },
    card(undefined),
    NOW,
  ),
  'a capture': captureAdvice(ACCEPTOR, APPROVED, NOW),
  'a capture again': captureAdvice(ACCEPTOR, { ...APPROVED, tries: 1 }, NOW),
  'a reversal': reversal(ACCEPTOR, APPROVED),
  'a reversal advice': reversal(ACCEPTOR, { ...PAYMENT, tries: 1 }),
  'a reversal advice again': reversal(ACCEPTOR, { ...PAYMENT, tries: 2 }),
  'a refund': refundRequest(ACCEPTOR, REFUND, NOW),
  'a refund again': refundRequest(ACCEPTOR, { ...REFUND, tries: 3 }, NOW),
};

test.each(Object.entries(BUILT))('%s is the recorded bytes', (name, { type, fields }) => {
  const recorded = RECORDED.find((one) => one.name === name) ?? expect.fail(`${name} is not recorded`);
  const stamped = { ...fields, 7: recorded.fields[7] ?? '', 11: recorded.fields[11] ?? '' };
  expect({ type, fields: stamped }).toEqual({ type: recorded.type, fields: recorded.fields });
  expect(packMessage({ type, fields: stamped }).toString('hex')).toBe(recorded.hex);
});

test.each(RECORDED)('$name of type $type is read from its bytes', ({ type, fields, hex }) => {
  expect(unpackMessage(Buffer.from(hex, 'hex'))).toEqual({ type, fields });
});

test('only the authorisation has the card', () => {
  for (const [name, { fields }] of Object.entries(BUILT)) {
    const isWithCard = name.includes('authorisation') || name.includes('charge');
    expect(JSON.stringify(fields).includes('4411111111111118'), name).toBe(isWithCard);
    expect(readPrivateData(fields[48] ?? '')?.cvv, name).toBe(name.includes('authorisation') ? '123' : undefined);
  }
});

describe('the retrieval reference', () => {
  test('is the same in every process, and another for another payment', () => {
    expect(retrievalReference(PAYMENT.reference)).toMatch(/^[A-Z2-9]{12}$/);
    const all = new Set(Array.from({ length: 10_000 }, (_, i) => retrievalReference(`99${i}`)));
    expect(all.size).toBe(10_000);
  });
});

describe('field 48', () => {
  test('passes over the tags of others', () => {
    expect(readPrivateData('9902xx0103abcZZ00')).toEqual({ reference: 'abc' });
  });
  test.each(['01', '0104abc', 'x', '01-1a'])('%s is not made of tags', (text) => expect(readPrivateData(text)).toBeUndefined());
  test('leaves out what is empty, and refuses what is too long', () => {
    expect(writePrivateData({ cvv: '', reference: 'a' })).toBe('0101a');
    expect(() => writePrivateData({ reference: 'a'.repeat(100) })).toThrow('tag 01');
  });
});
