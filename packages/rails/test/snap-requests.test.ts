import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openSnapClient, type SnapClient } from '../src/snap-client.ts';
import { startRecordedBank } from './recorded-bank.ts';

/** What some services need that transfers do not: a query, headers of a customer, a request of tokens, a long answer. */
let bank: Awaited<ReturnType<typeof startRecordedBank>>;
let snap: SnapClient;

beforeAll(async () => {
  bank = await startRecordedBank();
  snap = openSnapClient({ ...bank.credentials, channelId: '1' });
});

beforeEach(() => bank.reset());

afterAll(async () => {
  await snap?.close();
  await bank?.close();
});

const signal = () => AbortSignal.timeout(5_000);

test('a GET has its fields in the query, which is signed, and no body', async () => {
  bank.answers.set('/v1.0/get-auth-code?state=a+b&scopes=x', { responseCode: '2001000', responseMessage: 'ok' });
  const service = { path: '/v1.0/get-auth-code', code: '10', method: 'GET' as const };
  const answer = await snap.post({ service, externalId: '1', body: { state: 'a b', scopes: 'x' }, signal: signal() });
  expect(answer.responseCode).toBe('2001000');
  expect(bank.only()).toMatchObject({ method: 'GET', body: {}, signedBy: 'token' });
});

test('headers of a call go beside those of every transaction, and never in their place', async () => {
  bank.answers.set('/v1.0/debit/status', { responseCode: '2005500' });
  const service = { path: '/v1.0/debit/status', code: '55' };
  const headers = { 'authorization-customer': 'Bearer c', 'x-partner-id': 'another' };
  await snap.post({ service, externalId: '1', body: {}, signal: signal(), headers });
  expect(bank.only().headers).toMatchObject({ 'authorization-customer': 'Bearer c', 'x-partner-id': 'partner' });
});

test('a request of tokens is proved by the private key', async () => {
  bank.answers.set('/v1.0/access-token/b2b2c', { responseCode: '2007400', accessToken: 'c' });
  const service = { path: '/v1.0/access-token/b2b2c', code: '74' };
  const answer = await snap.postSigned({ service, body: { grantType: 'AUTHORIZATION_CODE' }, signal: signal() });
  expect(answer.body).toMatchObject({ accessToken: 'c' });
  const { headers, body, signedBy } = bank.only();
  expect([signedBy, body]).toEqual(['token request', { grantType: 'AUTHORIZATION_CODE' }]);
  expect(headers).not.toHaveProperty('authorization');
});

test('an answer may be as long as its call says', async () => {
  bank.answers.set('/v1.0/bank-statement', { responseCode: '2001400', filler: 'x'.repeat(400_000) });
  const call = { service: { path: '/v1.0/bank-statement', code: '14' }, externalId: '1', body: {} };
  await expect(snap.post({ ...call, signal: signal() })).rejects.toThrow('too long');
  expect((await snap.post({ ...call, signal: signal(), answerBytesMax: 1_000_000 })).httpStatus).toBe(200);
});
