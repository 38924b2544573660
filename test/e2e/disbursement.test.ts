import { createHash, createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { call, dataOf, idr, type MerchantClient, newReference, sen, signIn, statusOf } from '../support/merchant-client.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';

const TRANSFER = '/api/v2.0/disbursement/transfer';

describe('one disbursement, from REST call to signed webhook', () => {
  let system: System;
  let sink: WebhookSink;
  let merchant: MerchantClient;
  let account: string;

  beforeAll(async () => {
    sink = await startWebhookSink();
    system = await startSystem({ name: 'e2e', shuffleUnsorted: true });
    account = system.demo.account_ids[0];
    merchant = await signIn(system.demo.base_url, system.demo);
    await merchant.send('PUT', '/api/v1.0/callback-settings', { disbursement_notif_url: sink.url });
  }, 120_000);

  afterAll(async () => {
    await system?.stop();
    await sink?.close();
  });

  const order = (over: object = {}) => ({
    account_id: account,
    reference_number: newReference('e2e'),
    bank_code: '014',
    bank_account_number: '1234567890',
    amount: idr(150_000),
    ...over,
  });
  const inquire = async (reference: string) =>
    dataOf(
      await merchant.send('POST', '/api/v2.0/disbursement/inquiry-status', { account_id: account, reference_number: reference }),
    );
  const advance = (ms: number) => call('POST', `${system.demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms }));

  test('moves the money once and tells the merchant, under one trace', async () => {
    const before = await merchant.balance(account);
    const body = order();
    const answer = await merchant.signed(TRANSFER, body);
    expect(answer.json.response_code, answer.text).toBe('SP000');
    const data = dataOf(answer);
    expect(statusOf(data)).toBe('00');
    const after = await merchant.balance(account);
    expect(before.available - after.available).toBe(sen(data.gross_amount));
    expect(after.held).toBe(before.held);
    expect(sen(data.balance_after)).toBe(after.available);

    const hook = await eventually('the webhook', () => sink.about(body.reference_number)[0]);
    expect(hook.body).toMatchObject({ response_code: 'SP000', event: 'disbursement' });
    const { authorization = '', 'x-timestamp': timestamp, 'x-signature': signature } = hook.headers;
    const hash = createHash('sha256').update(sortedJson(hook.body)).digest('hex');
    const toSign = `POST:${hook.url}:${authorization.slice('Bearer '.length)}:${hash}:${timestamp}`;
    expect(signature).toBe(createHmac('sha512', system.demo.client_secret).update(toSign).digest('hex'));

    const trace = answer.headers.get('x-request-id') ?? '';
    expect(trace).toMatch(/^[0-9a-f]{32}$/);
    for (const service of ['edge', 'money-out', 'ledger', 'notifier']) {
      await eventually(`the trace in the log of ${service}`, async () => (await logOf(service)).includes(trace));
    }
  });

  const logOf = (service: string) => readFile(path.join(system.dataFolder, 'logs', `${service}.log`), 'utf8');

  test('no log has a secret, a token or a signature', async () => {
    const body = order();
    const answer = await merchant.signed(TRANSFER, body);
    expect(answer.http).toBe(200);
    await eventually('the webhook', () => sink.about(body.reference_number)[0]);
    for (const service of ['edge', 'merchant', 'ledger', 'money-out', 'notifier', 'simulator']) {
      const log = await logOf(service);
      expect(log).not.toContain(system.demo.client_secret);
      expect(log).not.toContain(merchant.token);
      for (const hook of sink.hooks) expect(log).not.toContain(String(hook.headers['x-signature']));
    }
  });

  test('a timeout stays held until the bank tells: success or failure', async () => {
    const before = await merchant.balance(account);
    const late = order({ bank_account_number: '1234560002' });
    const lost = order({ bank_account_number: '1234560003' });
    const answers = await Promise.all([late, lost].map((body) => merchant.signed(TRANSFER, body)));
    for (const answer of answers) {
      expect(answer.json.response_code).toBe('SP000');
      expect(statusOf(dataOf(answer))).toBe('03');
    }
    const gross = answers.map((answer) => sen(dataOf(answer).gross_amount));
    expect((await merchant.balance(account)).held - before.held).toBe((gross[0] ?? 0n) + (gross[1] ?? 0n));
    await eventually(
      'both outcomes',
      async () => {
        await advance(5_000);
        return statusOf(await inquire(late.reference_number)) === '00' && statusOf(await inquire(lost.reference_number)) === '06';
      },
      30_000,
    );
    const after = await merchant.balance(account);
    expect(after.held).toBe(before.held);
    expect(before.available - after.available).toBe(gross[0]);
    await eventually(
      'both webhooks',
      () => sink.about(late.reference_number).length > 0 && sink.about(lost.reference_number).length > 0,
    );
  });

  test.each([
    ['fails at the bank', '1234560001', 'SP001', 400],
    ['beneficiary unknown', '1234560404', 'SP010', 404],
  ])('%s: everything is given back', async (_what, bankAccount, code, http) => {
    const before = await merchant.balance(account);
    const answer = await merchant.signed(TRANSFER, order({ bank_account_number: bankAccount }));
    expect([answer.json.response_code, answer.http]).toEqual([code, http]);
    expect(statusOf(dataOf(answer))).toBe('06');
    expect(await merchant.balance(account)).toEqual(before);
  });

  test('a bank that is down costs nothing; the transfer goes through when it is back', async () => {
    const rail = `${system.demo.simulator_url}/sandbox/rails/bank-transfer`;
    await call('PUT', rail, JSON.stringify({ outcome: 'error' }));
    const body = order();
    const answer = await merchant.signed(TRANSFER, body).finally(() => call('DELETE', rail));
    expect(statusOf(dataOf(answer))).toBe('03');
    await eventually(
      'success',
      async () => {
        await advance(2_000);
        return statusOf(await inquire(body.reference_number)) === '00';
      },
      30_000,
    );
  });

  test('without the balance nothing is recorded and the reference stays free', async () => {
    const body = order({ amount: idr(999_999_999_999) });
    expect((await merchant.signed(TRANSFER, body)).json.response_code).toBe('SP003');
    const unknown = await merchant.send('POST', '/api/v2.0/disbursement/inquiry-status', {
      account_id: account,
      reference_number: body.reference_number,
    });
    expect(unknown.json.response_code).toBe('SP009');
    expect((await merchant.signed(TRANSFER, { ...body, amount: idr(10_000) })).json.response_code).toBe('SP000');
  });

  test('an Idempotency-Key answers the first response again, over a kill of money-out', async () => {
    const key = { 'idempotency-key': newReference('key') };
    const body = order();
    const first = await merchant.signed(TRANSFER, body, key);
    expect(first.json.response_code).toBe('SP000');
    await system.kill('money-out', 'SIGKILL');
    await system.ready();
    const second = await merchant.signed(TRANSFER, body, key);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.json).toEqual(first.json);
    const other = await merchant.signed(TRANSFER, { ...body, amount: idr(1) }, key);
    expect([other.http, other.json.response_code]).toEqual([422, 'SP018']);
  });

  test('one order at a time wins its reference; other content is refused', async () => {
    const before = await merchant.balance(account);
    const body = order({ amount: idr(20_000) });
    const answers = await Promise.all(Array.from({ length: 40 }, () => merchant.signed(TRANSFER, body)));
    expect(new Set(answers.map((answer) => dataOf(answer).transaction_id)).size).toBe(1);
    expect((await merchant.signed(TRANSFER, { ...body, amount: idr(20_001) })).json.response_code).toBe('SP004');
    const [first] = answers;
    if (first === undefined) throw new Error('no answer');
    await eventually('captured', async () => (await merchant.balance(account)).held === before.held);
    expect(before.available - (await merchant.balance(account)).available).toBe(sen(dataOf(first).gross_amount));
  });

  test('bad input is refused and changes nothing', async () => {
    const before = await merchant.balance(account);
    const listed = await merchant.get(`/api/v2.0/disbursement/list?account_id=${account}&limit=100`);
    const bad: [object, string][] = [
      [{ amount: { value: '-5', currency: 'IDR' } }, 'amount'],
      [{ amount: { $gt: '' } }, 'amount'],
      [{ amount: 10_000 }, 'amount'],
      [{ amount: { value: '1'.repeat(400), currency: 'IDR' } }, 'amount'],
      [{ reference_number: { $gt: '' } }, 'reference_number'],
      [{ reference_number: 'é' }, 'reference_number'],
      [{ bank_account_number: ['1234567890'] }, 'bank_account_number'],
      [{ bank_code: '999' }, 'bank_code'],
      [{ description: 'x'.repeat(101) }, 'description'],
    ];
    for (const [over, field] of bad) {
      const answer = await merchant.signed(TRANSFER, order(over));
      expect([answer.http, answer.json.response_code], answer.text).toEqual([422, 'SP018']);
      expect(dataOf(answer).errors).toHaveProperty(field);
    }
    expect((await merchant.signed(TRANSFER, order({ padding: 'x'.repeat(1_000_000) }))).http).toBe(413);
    expect(await merchant.balance(account)).toEqual(before);
    expect((await merchant.get(`/api/v2.0/disbursement/list?account_id=${account}&limit=100`)).json).toEqual(listed.json);
  });

  test('state survives a restart of everything', async () => {
    const body = order();
    const answer = await merchant.signed(TRANSFER, body);
    const before = await merchant.balance(account);
    await system.restart();
    // Tokens already issued stay valid.
    expect(await merchant.balance(account)).toEqual(before);
    expect((await inquire(body.reference_number)).transaction_id).toBe(dataOf(answer).transaction_id);
    expect(await system.verifyLedger()).toEqual([]);
  });
});

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${sortedJson(inner)}`);
  return `{${fields.join(',')}}`;
}
