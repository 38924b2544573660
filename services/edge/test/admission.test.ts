import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { DisbursementService } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { implement, startRpcServer } from '@gerbang/rpc';
import { eventually, testLog } from '@gerbang/testkit';
import { expect, test } from 'vitest';
import { ADAPTIVE_PERMITS } from '../src/http/admission.ts';
import { orderOf, type Reply, startEdge, transferOf } from './edge-harness.ts';

const TRANSFER = '/api/v2.0/disbursement/transfer';
const TOO_MANY = 40;
const PERMITS = ADAPTIVE_PERMITS.initial + ADAPTIVE_PERMITS.burst;

test('what is too much is refused at once and has done nothing; tokens, probes and other routes go on', async () => {
  const edge = await startEdge();
  try {
    const merchant = edge.merchant();
    const headers = edge.signedIn(merchant);
    edge.fakes.ledger.getBalance = async () => ({});
    const blocked = Promise.withResolvers<void>();
    let begun = 0;
    edge.fakes.disbursement.transfer = async () => {
      begun++;
      await blocked.promise;
      return { transfer: transferOf() };
    };
    const send = () => edge.sendSigned(merchant, 'POST', TRANSFER, orderOf(merchant));
    const accepted = Array.from({ length: PERMITS }, send);
    await eventually('all permits are taken', () => begun === PERMITS);

    const refused = await Promise.all(Array.from({ length: TOO_MANY }, send));
    for (const { http, headers: sent, json } of refused) {
      expect([http, sent.get('retry-after'), json]).toEqual([
        503,
        '1',
        { response_code: 'SP019', response_message: 'Too busy at the moment', data: { message: 'Too busy at the moment' } },
      ]);
    }
    const basic = Buffer.from(`${merchant.clientId}:${merchant.clientSecret}`).toString('base64');
    const token = await edge.send('POST', '/api/v1.0/access-token/b2b', {
      headers: { authorization: `Basic ${basic}`, 'x-partner-id': merchant.partnerId },
      body: { grant_type: 'client_credentials' },
    });
    expect(token.http).toBe(200);
    expect((await edge.send('GET', '/api/v1.0/balance-inquiry', { headers })).http).toBe(200);
    const admin = `http://127.0.0.1:${edge.service.adminPort}`;
    expect((await fetch(`${admin}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    expect(metrics).toMatch(/gerbang_http_in_flight\{[^}]*disbursement\/transfer",method="POST"[^}]*\} 512/);
    expect(metrics).toMatch(/gerbang_http_in_flight_max\{[^}]*disbursement\/transfer",method="POST"[^}]*\} 256/);

    blocked.resolve();
    const answers: Reply[] = await Promise.all(accepted);
    expect(new Set(answers.map(({ http }) => http))).toEqual(new Set([200]));
    expect(begun).toBe(PERMITS);
    expect((await send()).http).toBe(200);
  } finally {
    await edge.close();
  }
}, 30_000);

test('what a service refuses as one call too many is 503 with Retry-After on both kinds of routes', async () => {
  const blocked = Promise.withResolvers<object>();
  let begun = 0;
  const block = () => {
    begun++;
    return blocked.promise;
  };
  const unused = async () => ({});
  const behind = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log: testLog('full'),
    implementations: [
      implement(LedgerService, { getBalance: block, post: unused, verify: unused }, []),
      implement(
        DisbursementService,
        { getFee: block, transfer: unused, checkBeneficiary: unused, getTransfer: unused, listTransfers: unused },
        [],
      ),
    ],
    inFlightMax: 1,
    ready: () => true,
  });
  const address = `127.0.0.1:${behind.port}`;
  const edge = await startEdge({ LEDGER_RPC: address, MONEY_OUT_RPC: address });
  try {
    const merchant = edge.merchant();
    const headers = edge.signedIn(merchant);
    const balance = () => edge.send('GET', '/api/v1.0/balance-inquiry', { headers });
    const fee = () =>
      edge.send('GET', `/api/v2.0/disbursement/fee?account_id=${merchant.accountIds[0]}&bank_code=014`, { headers });
    const first = fee();
    await eventually('the service is full', () => begun === 1);
    const v1 = await balance();
    expect([v1.http, v1.headers.get('retry-after'), v1.json]).toEqual([
      503,
      '1',
      { status: 503, success: false, error: { code: 503, message: 'Too busy at the moment' } },
    ]);
    const v2 = await fee();
    expect([v2.http, v2.headers.get('retry-after'), v2.json.response_code]).toEqual([503, '1', 'SP019']);
    expect(begun).toBe(1);
    blocked.resolve({ bankCode: '014' });
    expect((await first).http).toBe(200);
    expect((await balance()).http).toBe(200);
  } finally {
    await edge.close();
    await behind.close();
  }
});
