import { RefusalError, refuse } from '@gerbang/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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
