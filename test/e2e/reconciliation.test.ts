import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { formatSen } from '@gerbang/core';
import { ReconciliationService } from '@gerbang/proto/gerbang/reconciliation/v1/reconciliation';
import { openChannel } from '@gerbang/rpc';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { demoClient } from '../../launcher/operators.ts';
import { type System, startSystem } from '../../launcher/system.ts';
import { newOrder, transfer } from '../support/disbursement.ts';
import { call, dataOf, isRecord, type MerchantClient, newReference, signIn } from '../support/merchant-client.ts';
import { pay } from '../support/payment-link.ts';

/** A day of payments over every rail, and the night after, in which the rails' books are compared with ours. */

const run = promisify(execFile);
const CLI = path.join(import.meta.dirname, '../../launcher/cli/main.ts');
const JAKARTA_MS = 7 * 3_600_000;
const DAY_MS = 86_400_000;
/** A code of a shop whose acquirer is not ours. */
const CODE =
  '00020101021226530014ID.CO.BANK.WWW01189360000915000000120202M10303UMI51440014ID.CO.QRIS.WWW0215ID10200000000340303UMI' +
  '5204581253033605405250005802ID5913Warung Bu Sri6010Kab. Demak6105595676304E5E1';

const historySchema = z.object({
  items: z.array(z.object({ id: z.string(), status: z.string(), remark: z.string(), amount: z.object({ value: z.string() }) })),
});

let system: System;
let merchant: MerchantClient;
let account: string;
/** The business day of all payments, of Asia/Jakarta. */
let day: string;
let qrisPath: string;
let out: ReturnType<typeof openReconciliation>;
let into: ReturnType<typeof openReconciliation>;

/** An operator's command; what it prints and whether it succeeds. */
async function gerbang(...args: string[]): Promise<{ out: string; failed: boolean }> {
  const env = {
    ...process.env,
    MONEY_OUT_RPC: addressOf('MONEY_OUT'),
    MONEY_IN_RPC: addressOf('MONEY_IN'),
    GERBANG_DATA: system.dataFolder,
  };
  try {
    return { out: (await run(process.execPath, [CLI, ...args], { env })).stdout, failed: false };
  } catch (error) {
    if (!isRecord(error) || typeof error.stdout !== 'string') throw error;
    return { out: error.stdout, failed: true };
  }
}

const addressOf = (service: 'MONEY_OUT' | 'MONEY_IN') => `127.0.0.1:${system.ports[`${service}_RPC_PORT`]}`;

/** What the commands call: a command takes seconds to start. */
function openReconciliation(service: 'MONEY_OUT' | 'MONEY_IN') {
  const channel = openChannel({ address: addressOf(service), tls: undefined });
  const name = service === 'MONEY_OUT' ? 'money-out' : 'money-in';
  const rpc = demoClient(system.dataFolder, channel, ReconciliationService, name);
  return {
    close: () => channel.close(),
    explain: (id: string, note: string) => rpc.explainDifference({ id, note }),
    days: async () => (await rpc.listReconciliations({ day, limit: 100 })).items,
    differences: async (rail: string, state = 'open') => (await rpc.listDifferences({ rail, state, limit: 100 })).items,
    /** Compares the day anew; gives how that came out. */
    async compareAgain(rail: string) {
      const { reconciliation: asked } = await rpc.runReconciliation({ rail, day });
      return eventually(`${rail} is compared again`, async () => {
        const [found] = (await rpc.listReconciliations({ rail, day, limit: 1 })).items;
        const isOver = found?.status === 'done' || found?.status === 'failed';
        return isOver && found.runs > (asked?.runs ?? 0) && found;
      });
    },
  };
}

async function simulator(method: string, what: string, body?: object): Promise<Record<string, unknown>> {
  const { http, json } = await call(method, `${system.demo.simulator_url}/sandbox/${what}`, body && JSON.stringify(body));
  expect(http).toBe(200);
  return json;
}

const advance = (ms: number) => simulator('POST', 'clock/advance', { ms });
const nowMs = async () => Number((await simulator('GET', 'clock')).now);

/** What a rail tells of the day, newest first. */
async function history(rail: string) {
  const [from, to] = [new Date(`${day}T00:00:00+07:00`), new Date(`${day}T23:59:59.999+07:00`)];
  return historySchema.parse(await simulator('GET', `history/${rail}?from=${from.toISOString()}&to=${to.toISOString()}`)).items;
}

/** To 08:00 of the next day in Jakarta, so that all that follows is of one day. */
async function goToMorning(): Promise<void> {
  const localMs = (await nowMs()) + JAKARTA_MS;
  const morningMs = (Math.floor(localMs / DAY_MS) + 1) * DAY_MS + 8 * 3_600_000;
  await advance(morningMs - localMs);
  day = new Date(morningMs).toISOString().slice(0, 10);
}

async function create(url: string, body: object): Promise<Record<string, unknown>> {
  const answer = await merchant.signed(url, body);
  if (answer.http >= 300) throw new Error(`refused: ${answer.text}`);
  return dataOf(answer);
}

async function moneyOut(): Promise<void> {
  await transfer(merchant, newOrder(account));
  await transfer(merchant, newOrder(account, { bank_account_number: '5550007777' }));
  await merchant.signed('/api/v2.0/disbursement/transfer', newOrder(account, { bank_account_number: '1234560001' }));
  const topup = { account_id: account, channel: 'OVO', phone_number: '081234567890', note: 'Hadiah' };
  const amount = { value: '50000.00', currency: 'IDR' };
  await create('/api/v2.0/ewallet/trigger-topup', { ...topup, amount, reference_number: newReference('topup') });
  const withdrawal = { reference_number: newReference('tunai'), bank_code: 'BCA', phone_number: '081234567890', amount: 100_000 };
  const { withdrawal_code } = await create(`/api/v1.0/cardless-withdrawals/${account}`, withdrawal);
  await simulator('POST', `cardless/${withdrawal_code}/withdraw`, {});
  await create(`/api/v2.0/qris/credit/${account}`, { reference_number: newReference('qris'), qr_data: CODE });
}

async function moneyIn(): Promise<void> {
  const paysBy = (what: string, body: unknown) => pay(system.demo.simulator_url, what, body);
  const permanent = { bank_code: 'BNI', kind: 'permanent', amount_type: 'open', name: 'Siti', merchant_reff_no: 'c-7' };
  const made = await create(`/api/v1.0/virtual-accounts/${account}`, { ...permanent, min_amount: 10_000, max_amount: 1_000_000 });
  for (const amount of [20_000, 20_000, 30_000]) await paysBy(`virtual-accounts/${made.number}/pay`, { amount });
  const code = await create(`/api/v1.0/qris-dynamic/${account}/generate`, { amount: 25_000 });
  qrisPath = `/api/v1.0/qris-dynamic/${account}/show/${code.id}`;
  await paysBy('qris/pay', { qr_data: code.qr_data });
  const checkout = await create(`/api/v1.0/ewallet-checkout/${account}`, { channel: 'DANA', amount: 45_000 });
  await paysBy(`ewallet/${checkout.transaction_id}/confirm`, { outcome: 'success' });
  const shop = { retail_code: 'ALFAMART', amount: 60_000, customer_name: 'Budi', expired_at: (await nowMs()) + DAY_MS };
  const retail = await create(`/api/v1.0/retail-transactions/${account}`, shop);
  await paysBy(`retail/${retail.payment_code}/pay`, { amount: 60_000 });
}

beforeAll(async () => {
  system = await startSystem({ name: 'reconciliation', shuffleUnsorted: true });
  account = system.demo.account_ids[0];
  merchant = await signIn(system.demo.base_url, system.demo);
  out = openReconciliation('MONEY_OUT');
  into = openReconciliation('MONEY_IN');
  await goToMorning();
  await moneyOut();
  await moneyIn();
}, 120_000);

afterAll(async () => {
  await out?.close();
  await into?.close();
  await system?.stop();
});

test('the night after, every rail has been compared and nothing differs', async () => {
  expect(dataOf(await merchant.get(qrisPath))).toMatchObject({ has_reconcile: false, reconcile_at: null, reconcile_by: '' });
  await advance(18 * 3_600_000);
  const compared = await eventually(
    'all rails are compared',
    async () => {
      const found = [...(await out.days()), ...(await into.days())];
      return found.length === 8 && found.every(({ status }) => status === 'done') && found;
    },
    30_000,
  );
  for (const one of compared) {
    expect(one).toMatchObject({ differences: 0n, open: 0n, problem: '', matched: one.oursCount, oursCount: one.railCount });
    expect([one.rail, one.railSen]).toEqual([one.rail, one.oursSen]);
  }
  expect(Object.fromEntries(compared.map(({ rail, matched }) => [rail, matched]))).toEqual({
    'bank-transfer': 2n,
    cardless: 1n,
    'ewallet-topup': 1n,
    'qris-issuer': 1n,
    va: 3n,
    qris: 1n,
    ewallet: 1n,
    retail: 1n,
  });
  expect(dataOf(await merchant.get(qrisPath))).toMatchObject({
    has_reconcile: true,
    reconcile_at: expect.stringMatching(/^\d{4}-/),
    reconcile_by: 'system',
  });
});

describe('each difference has both sides', () => {
  test('the rail has dropped, altered and added rows of transfers', async () => {
    const [first, second] = await history('bank-transfer').then((rows) => rows.filter(({ status }) => status === 'booked'));
    await simulator('DELETE', `history/bank-transfer/rows/${first?.id}`);
    await simulator('PATCH', `history/bank-transfer/rows/${second?.id}`, { amount: { value: '1.00', currency: 'IDR' } });
    const added = {
      at: `${day}T12:00:00+07:00`,
      amount: { value: '777.00', currency: 'IDR' },
      direction: 'out',
      remark: 'BIAYA ADM',
    };
    await simulator('POST', 'history/bank-transfer/rows', added);
    expect((await gerbang('reconcile', 'run', '--rail', 'bank-transfer', '--day', day)).failed).toBe(true);
    const found = await out.differences('bank-transfer');
    expect(
      found.map(({ kind, ours, row }) => [kind, ours && formatSen(ours.amountSen), row && formatSen(row.amountSen)]).sort(),
    ).toEqual([
      ['amount', second?.amount.value, '1.00'],
      ['missing-at-rail', first?.amount.value, undefined],
      ['missing-here', undefined, '777.00'],
    ]);
    const csv = (await gerbang('reconcile', 'differences', '--rail', 'bank-transfer', '--csv')).out.trim().split('\n');
    expect(csv).toHaveLength(4);
    expect(csv[0]).toContain('our_amount');
    expect(csv.find((line) => line.includes('missing-here'))).toContain('777.00,booked,BIAYA ADM');

    const fee = found.find(({ kind }) => kind === 'missing-here')?.id ?? '';
    await out.explain(fee, "the bank's monthly fee");
    await simulator('DELETE', 'history/bank-transfer');
    expect(await out.compareAgain('bank-transfer')).toMatchObject({ status: 'done', differences: 0n, matched: 2n });
    expect(await out.differences('bank-transfer', 'explained')).toMatchObject([{ id: fee, note: "the bank's monthly fee" }]);
  });

  test('the rail has taken a payment back, and the merchant sees it as not reconciled', async () => {
    const [row] = await history('qris');
    const added = { at: `${day}T14:00:00+07:00`, direction: 'out', status: 'correction', remark: row?.remark };
    await simulator('POST', 'history/qris/rows', { ...added, amount: { ...row?.amount, currency: 'IDR' } });
    expect(await into.compareAgain('qris')).toMatchObject({ differences: 1n });
    const [difference] = await into.differences('qris');
    expect(difference).toMatchObject({ kind: 'status', reason: 'the rail has taken it back', ours: { status: 'settled' } });
    const reconciled = async () => dataOf(await merchant.get(qrisPath)).has_reconcile;
    await eventually('it is not reconciled', async () => (await reconciled()) === false);
    await into.explain(difference?.id ?? '', 'a mistake of the acquirer');
    await eventually('it is reconciled', reconciled);
    expect(dataOf(await merchant.get(qrisPath))).toMatchObject({ reconcile_by: 'operator' });
  });

  test('a rail that does not tell its history fails the day, and says so', async () => {
    await simulator('PUT', 'rails/va', { outcome: 'error' });
    const failed = await into.compareAgain('va');
    expect(failed).toMatchObject({ status: 'failed', problem: 'the rail does not tell its history: 5001400 General Error' });
    await simulator('DELETE', 'rails/va');
    expect(await into.compareAgain('va')).toMatchObject({ status: 'done', differences: 0n, matched: 3n });
  });
});
