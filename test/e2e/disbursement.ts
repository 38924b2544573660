import { createHash, createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@gerbang/testkit';
import { beforeAll, expect, test } from 'vitest';
import type { System } from '../../launcher/system.ts';
import { inquire, inquireStatus, newOrder, order, TRANSFER, transfer } from '../support/disbursement.ts';
import { accepted, call, dataOf, idr, type MerchantClient, newReference, sen } from '../support/merchant-client.ts';
import type { WebhookSink } from '../support/webhook-sink.ts';
import type { Sandbox } from './sandbox.ts';

export function disbursements(sandbox: () => Sandbox): void {
  let system: System;
  let sink: WebhookSink;
  let merchant: MerchantClient;
  let account: string;

  beforeAll(() => {
    ({ system, sink, merchant, account } = sandbox());
  });

  const statusOf = async (reference: string) => (await inquire(merchant, account, reference)).transaction_status.code;
  const list = () =>
    accepted(merchant.api.GET('/api/v2.0/disbursement/list', { params: { query: { account_id: account, limit: 100 } } }));
  const advance = (ms: number) => call('POST', `${system.demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms }));

  test('moves the money once and tells the merchant, under one trace', async () => {
    const before = await merchant.balance(account);
    const body = newOrder(account);
    const { data: answer, error, response } = await order(merchant, body);
    if (answer === undefined) throw new Error(`refused: ${JSON.stringify(error)}`);
    const { response_code: code, data } = answer;
    expect([code, data.transaction_status.code]).toEqual(['SP000', '00']);
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

    const trace = response.headers.get('x-request-id') ?? '';
    expect(trace).toMatch(/^[0-9a-f]{32}$/);
    for (const service of ['edge', 'money-out', 'ledger', 'notifier']) {
      await eventually(`the trace in the log of ${service}`, async () => (await logOf(service)).includes(trace));
    }
  });

  const logOf = (service: string) => readFile(path.join(system.dataFolder, 'logs', `${service}.log`), 'utf8');

  test('no log has a secret, a token or a signature', async () => {
    const body = newOrder(account);
    await transfer(merchant, body);
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
    const late = newOrder(account, { bank_account_number: '1234560002' });
    const lost = newOrder(account, { bank_account_number: '1234560003' });
    const transfers = await Promise.all([late, lost].map((body) => transfer(merchant, body)));
    expect(transfers.map(({ transaction_status: { code } }) => code)).toEqual(['03', '03']);
    const gross = transfers.map(({ gross_amount }) => sen(gross_amount));
    expect((await merchant.balance(account)).held - before.held).toBe((gross[0] ?? 0n) + (gross[1] ?? 0n));
    await eventually(
      'both outcomes',
      async () => {
        await advance(5_000);
        return (await statusOf(late.reference_number)) === '00' && (await statusOf(lost.reference_number)) === '06';
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
    const { error, response } = await order(merchant, newOrder(account, { bank_account_number: bankAccount }));
    expect([error?.response_code, response.status]).toEqual([code, http]);
    expect(error?.data).toMatchObject({ transaction_status: { code: '06' } });
    expect(await merchant.balance(account)).toEqual(before);
  });

  test('above what the beneficiary may receive: SP006, and everything is given back', async () => {
    const rail = `${system.demo.simulator_url}/sandbox/rails/bank-transfer`;
    const before = await merchant.balance(account);
    const body = newOrder(account);
    await call('PUT', rail, JSON.stringify({ outcome: 'failed', failed_case: '40302' }));
    const refused = await order(merchant, body).finally(() => call('DELETE', rail));
    expect([refused.error?.response_code, refused.response.status]).toEqual(['SP006', 400]);
    // The stored transfer keeps the cause.
    const again = await order(merchant, body);
    expect([again.error?.response_code, again.error?.data]).toEqual(['SP006', refused.error?.data]);
    expect(await merchant.balance(account)).toEqual(before);
  });

  test('a bank that is down costs nothing; the transfer goes through when it is back', async () => {
    const rail = `${system.demo.simulator_url}/sandbox/rails/bank-transfer`;
    await call('PUT', rail, JSON.stringify({ outcome: 'error' }));
    const body = newOrder(account);
    const { transaction_status: first } = await transfer(merchant, body).finally(() => call('DELETE', rail));
    expect(first.code).toBe('03');
    await eventually(
      'success',
      async () => {
        await advance(2_000);
        return (await statusOf(body.reference_number)) === '00';
      },
      30_000,
    );
  });

  test('without the balance nothing is recorded and the reference stays free', async () => {
    const body = newOrder(account, { amount: idr(999_999_999_999) });
    expect((await order(merchant, body)).error?.response_code).toBe('SP003');
    const unknown = await inquireStatus(merchant, account, body.reference_number);
    expect(unknown.error?.response_code).toBe('SP009');
    await transfer(merchant, { ...body, amount: idr(10_000) });
  });

  test('an Idempotency-Key answers the first response again, over a kill of money-out', async () => {
    const key = newReference('key');
    const body = newOrder(account);
    const first = await order(merchant, body, key);
    expect(first.data?.response_code).toBe('SP000');
    await system.kill('money-out', 'SIGKILL');
    await system.ready();
    const second = await order(merchant, body, key);
    expect(second.response.headers.get('idempotency-replayed')).toBe('true');
    expect(second.data).toEqual(first.data);
    const other = await order(merchant, { ...body, amount: idr(1) }, key);
    expect([other.response.status, other.error?.response_code]).toEqual([422, 'SP018']);
  });

  test('one order at a time wins its reference; other content is refused', async () => {
    const before = await merchant.balance(account);
    const body = newOrder(account, { amount: idr(20_000) });
    const transfers = await Promise.all(Array.from({ length: 40 }, () => transfer(merchant, body)));
    expect(new Set(transfers.map(({ transaction_id }) => transaction_id)).size).toBe(1);
    expect((await order(merchant, { ...body, amount: idr(20_001) })).error?.response_code).toBe('SP004');
    await eventually('captured', async () => (await merchant.balance(account)).held === before.held);
    expect(before.available - (await merchant.balance(account)).available).toBe(sen(transfers[0]?.gross_amount));
  });

  test('bad input is refused and changes nothing', async () => {
    const before = await merchant.balance(account);
    const listed = await list();
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
      const answer = await merchant.signed(TRANSFER, { ...newOrder(account), ...over });
      expect([answer.http, answer.json.response_code], answer.text).toEqual([422, 'SP018']);
      expect(dataOf(answer).errors).toHaveProperty(field);
    }
    const padded = { ...newOrder(account), padding: 'x'.repeat(1_000_000) };
    expect((await merchant.signed(TRANSFER, padded)).http).toBe(413);
    expect(await merchant.balance(account)).toEqual(before);
    expect(await list()).toEqual(listed);
  });

  test('state survives a restart of everything', async () => {
    const body = newOrder(account);
    const { transaction_id: id } = await transfer(merchant, body);
    const before = await merchant.balance(account);
    await system.restart();
    // Tokens already issued stay valid.
    expect(await merchant.balance(account)).toEqual(before);
    expect((await inquire(merchant, account, body.reference_number)).transaction_id).toBe(id);
    expect(await system.verifyLedger()).toEqual([]);
  });
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${sortedJson(inner)}`);
  return `{${fields.join(',')}}`;
}
