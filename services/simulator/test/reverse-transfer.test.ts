import { createServer, type Server } from 'node:http';
import { newUlid } from '@gerbang/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Bench, newRequest, soon, startBench } from './harness.ts';

let bench: Bench;
let gateway: Server;
const heard: { path: string; partner: unknown; body: object }[] = [];
const answer = { http: 200, responseCode: '2001800' };

beforeAll(async () => {
  gateway = createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += piece;
    });
    request.on('end', () => {
      heard.push({ path: request.url ?? '', partner: request.headers['x-partner-id'], body: JSON.parse(text) });
      response.writeHead(answer.http, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ responseCode: answer.responseCode, responseMessage: 'said' }));
    });
  });
  await new Promise<void>((resolve) => {
    gateway.listen(0, '127.0.0.1', resolve);
  });
  const address = gateway.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  bench = await startBench({ SIMULATOR_RAILS_URL: `http://127.0.0.1:${address.port}` });
});

beforeEach(() => {
  heard.length = 0;
  Object.assign(answer, { http: 200, responseCode: '2001800' });
});

afterAll(async () => {
  await bench?.stop();
  gateway?.close();
});

const reverse = (reference: string) => bench.control('POST', `transfers/${reference}/reverse`);

test('a paid transfer is reversed: the gateway is told, and so is who asks', async () => {
  const sent = newRequest();
  const paid = await bench.rail.transfer(sent, soon());
  if (paid.outcome !== 'succeeded') throw new Error(paid.outcome);
  expect(await reverse(sent.partnerReference)).toEqual({ status: 200, json: { reversed: true, told: true } });
  expect(heard).toMatchObject([
    {
      path: '/v1.0/transfer-interbank/notify',
      partner: 'sandbox-bank-transfer',
      body: {
        originalReferenceNo: paid.railReference,
        originalPartnerReferenceNo: sent.partnerReference,
        latestTransactionStatus: '04',
        amount: { value: '15000.00', currency: 'IDR' },
      },
    },
  ]);
  const reason = 'Returned by the beneficiary bank';
  expect(await bench.rail.inquireTransfer(sent, soon())).toEqual({
    outcome: 'returned',
    railReference: paid.railReference,
    reason,
  });
  const items = (await bench.books()).filter((item) => item.transaction_id === sent.partnerReference);
  expect(items.map(({ status }) => status)).toEqual(['reversed']);
});

test('a gateway that has not acknowledged is told again by the next call', async () => {
  const sent = newRequest();
  await bench.rail.transfer(sent, soon());
  Object.assign(answer, { http: 503, responseCode: '5031800' });
  expect((await reverse(sent.partnerReference)).json).toEqual({ reversed: true, told: false, reason: '5031800 said' });
  Object.assign(answer, { http: 404, responseCode: '4041801' });
  expect((await reverse(sent.partnerReference)).json).toEqual({ reversed: true, told: false, reason: 'said' });
  Object.assign(answer, { http: 200, responseCode: '2001800' });
  expect((await reverse(sent.partnerReference)).json).toEqual({ reversed: true, told: true });
});

test('a transfer whose partner has told its own id is shown, and reversed, by that id', async () => {
  const sent = newRequest(undefined, { transactionId: newUlid(Date.now()) });
  await bench.rail.transfer(sent, soon());
  expect((await reverse(sent.transactionId ?? '')).json).toEqual({ reversed: true, told: true });
  expect(heard).toMatchObject([{ body: { originalPartnerReferenceNo: sent.partnerReference } }]);
  const items = (await bench.books()).filter((item) => item.transaction_id === sent.transactionId);
  expect(items).toMatchObject([{ reference_number: sent.merchantReference, status: 'reversed' }]);
});

test('only a paid transfer can be reversed', async () => {
  const failed = newRequest('1234560001');
  await bench.rail.transfer(failed, soon());
  expect((await reverse(failed.partnerReference)).json).toEqual({
    reversed: false,
    told: false,
    reason: 'The transfer is failed',
  });
  expect((await reverse('unknown')).status).toBe(404);
  expect(heard).toEqual([]);
});
