import { RefusalError, refuse } from '@gerbang/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newTimestamp, type RailsEdge, startRailsEdge } from './rails-harness.ts';

const NOTIFY = '/v1.0/debit/notify';
const notice = {
  originalPartnerReferenceNo: '01KACARD',
  originalReferenceNo: 'acquirer-1',
  latestTransactionStatus: '00',
  amount: { value: '15000.00', currency: 'IDR' },
  finishedTime: newTimestamp(),
};

let rails: RailsEdge;

beforeAll(async () => {
  rails = await startRailsEdge();
});

beforeEach(() => {
  rails.asked.length = 0;
  rails.cards.reportPayment = async () => ({});
});

afterAll(() => rails?.close());

const notify = (over: object = {}, signed = {}) =>
  rails.call(NOTIFY, { ...notice, ...over }, { partner: 'card-acquirer', ...signed });

test.each(['00', '03', '04', '06'])(
  'of status %s the cards service is told the reference only',
  async (latestTransactionStatus) => {
    const { http, json } = await notify({ latestTransactionStatus });
    expect([http, json]).toEqual([200, { responseCode: '2005600', responseMessage: 'Successful' }]);
    expect(rails.asked.map(({ method }) => method)).toEqual(['reportPayment']);
    expect(rails.asked).toMatchObject([{ request: { reference: '01KACARD' } }]);
  },
);

test.each<[string, string, Error]>([
  ['an unknown payment', '4045601', new RefusalError(refuse('transaction_not_found'))],
  ['a cards service that is too busy', '5045600', new RefusalError(refuse('overloaded'))],
  ['a cards service that fails', '5005600', new Error('a secret of the house')],
])('%s → %s', async (_name, responseCode, failure) => {
  rails.cards.reportPayment = () => Promise.reject(failure);
  const { http, json } = await notify();
  expect([http, json.responseCode]).toEqual([Number(responseCode.slice(0, 3)), responseCode]);
  expect(JSON.stringify(json)).not.toContain('secret');
});

test('what the acquirer has not signed is told to no service', async () => {
  const reply = await notify({}, { signed: { body: JSON.stringify({ ...notice, originalPartnerReferenceNo: 'other' }) } });
  expect(reply.json.responseCode).toBe('4015600');
  expect(rails.asked).toEqual([]);
});

test('the reference is required', async () => {
  expect((await notify({ originalPartnerReferenceNo: undefined })).json.responseCode).toBe('4005602');
  expect(rails.asked).toEqual([]);
});

describe('a chargeback', () => {
  const CHARGEBACK = '/v1.0/card/chargeback-notify';
  const respondBy = newTimestamp(1_900_000_000_000);
  const opened = {
    caseId: 'case-1',
    originalPartnerReferenceNo: '01KACARD',
    amount: { value: '15000.00', currency: 'IDR' },
    reasonCode: '10.4',
    reason: 'Fraud',
    respondBy,
    status: 'open',
  };
  const report = (over: object = {}, options = {}) =>
    rails.call(CHARGEBACK, { ...opened, ...over }, { partner: 'card-acquirer', ...options });

  test('is told to the cards service with all that it says', async () => {
    expect((await report()).json).toEqual({ responseCode: '2009900', responseMessage: 'Successful' });
    const request = { caseId: 'case-1', reference: '01KACARD', amountSen: 15_000_00n, reasonCode: '10.4', reason: 'Fraud' };
    const first = { ...request, respondByMs: 1_900_000_000_000n, isPreArbitration: false, isWithdrawn: false };
    expect(rails.asked).toMatchObject([{ method: 'reportChargeback', request: first }]);
    await report({ stage: 'pre-arbitration', status: 'withdrawn' });
    expect(rails.asked[1]).toMatchObject({ request: { isPreArbitration: true, isWithdrawn: true } });
  });

  test.each<[string, string, Error]>([
    ['an unknown case', '4049901', new RefusalError(refuse('transaction_not_found'))],
    ['one whose money is on its way', '5049900', new RefusalError(refuse('unavailable'))],
  ])('%s → %s', async (_name, responseCode, failure) => {
    rails.cards.reportChargeback = () => Promise.reject(failure);
    const { http, json } = await report();
    rails.cards.reportChargeback = async () => ({});
    expect([http, json.responseCode]).toEqual([Number(responseCode.slice(0, 3)), responseCode]);
  });

  test('is told to no service where it is not signed, not of an acquirer of cards, or lacks a field', async () => {
    const forged = await report({}, { signed: { body: JSON.stringify({ ...opened, caseId: 'other' }) } });
    expect(forged.json.responseCode).toBe('4019900');
    expect((await report({}, { partner: 'wallet' })).json.responseCode).toBe('4039901');
    expect((await report({ caseId: undefined })).json.responseCode).toBe('4009902');
    expect((await report({ status: 'won' })).json.responseCode).toBe('4009901');
    expect(rails.asked).toEqual([]);
  });
});
