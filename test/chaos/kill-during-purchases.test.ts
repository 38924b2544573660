import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { notifyAt } from '../support/disbursement.ts';
import { type Answer, call, isRecord, type MerchantClient, sen, signIn } from '../support/merchant-client.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';

/** Only the long form, GERBANG_CHAOS=long: `npm test` has the crash tables of services/biller. */
const long = process.env.GERBANG_CHAOS === 'long';
const PURCHASES = 60;
/** A merchant tries for half a minute. */
const ATTEMPTS_MAX = 60;
const RETRY_MS = 500;
const VICTIMS = ['edge', 'ledger', 'biller', 'notifier', 'simulator', 'nats', 'mongodb'];
const PRICE_SEN = 52_500_00n;
/** Most succeed, some fail, some are answered late. */
const CUSTOMERS = ['12345678901', '12345678902', '12345670001', '12345670002', '12345670003'];

type Purchase = { customer: string; reference: string; status: string; token: string };

describe.skipIf(!long)('kill -9 during purchases', () => {
  let system: System;
  let sink: WebhookSink;
  let merchant: MerchantClient;

  beforeAll(async () => {
    sink = await startWebhookSink();
    system = await startSystem({
      name: 'chaos-biller',
      shuffleUnsorted: true,
      ownMongo: true,
      env: { RATE_LIMIT_PER_MINUTE: '1000000' },
    });
    merchant = await signIn(system.demo.base_url, system.demo);
    await notifyAt(merchant, sink.url);
  }, 120_000);

  afterAll(async () => {
    await system?.stop();
    await sink?.close();
  });

  test.each(VICTIMS)(
    'of %s: each reference is debited once, as the biller says, and its token comes to the merchant',
    async (victim) => {
      const account = system.demo.account_ids[0];
      const before = await merchant.balance(account);
      const purchases = Array.from({ length: PURCHASES }, (_, i): Purchase => {
        return { customer: CUSTOMERS[i % CUSTOMERS.length] ?? '', reference: '', status: '', token: '' };
      });
      const killing = eventually('some are paid', () => purchases.filter(({ status }) => status !== '').length >= 6, 60_000).then(
        () => system.kill(victim, 'SIGKILL'),
      );
      await Promise.all(purchases.map((purchase) => buy(purchase)));
      await killing;
      await system.ready();
      await eventually(
        'all are final',
        async () => {
          for (const purchase of purchases) if (!isFinal(purchase)) await pay(purchase);
          return purchases.every(isFinal);
        },
        120_000,
      );

      const bought = purchases.filter(({ status }) => status === 'success');
      expect(purchases.filter(({ customer }) => !/000[13]$/.test(customer))).toEqual(bought);
      expect(new Set(bought.map(({ token }) => token)).size).toBe(bought.length);
      const ours = new Set(purchases.map(({ reference }) => reference));
      const sold = (await books()).filter(({ reference, status }) => ours.has(reference) && status === 'success');
      expect(sold.map(({ reference }) => reference).sort()).toEqual(bought.map(({ reference }) => reference).sort());
      const after = await eventually('nothing is held', async () => {
        const balance = await merchant.balance(account);
        return balance.held === before.held && balance;
      });
      expect(before.available - after.available).toBe(PRICE_SEN * BigInt(bought.length));
      expect(await system.verifyLedger()).toEqual([]);
      await eventually(
        'every end is announced',
        () => purchases.every(({ reference }) => sink.about(reference).length > 0),
        120_000,
      );
      for (const { reference, status, token } of purchases) {
        for (const { body } of sink.about(reference)) expect(body.data).toMatchObject({ status, token: token || null });
      }
    },
    300_000,
  );

  async function buy(purchase: Purchase): Promise<void> {
    const body = { command: 'plntok', data: { customer_id: purchase.customer, product_code: 'PLN50' } };
    const { json } = await patiently(() => merchant.at(system.demo.biller_url).send('POST', '/api/v1/prepaid/inquiry', body));
    purchase.reference = isRecord(json.data) ? String(json.data.reference_number) : '';
    await pay(purchase);
  }

  async function pay(purchase: Purchase): Promise<void> {
    const body = { command: 'plntok', data: { reference_number: purchase.reference } };
    const { json } = await patiently(() => merchant.at(system.demo.biller_url).signed('/api/v1/prepaid/payment', body));
    if (json.response_code === '04') {
      expect(json.data).toEqual({ reference_number: ['Do Not Honor'] });
      purchase.status = 'failed';
    } else if (isRecord(json.data)) {
      const { status, token } = json.data;
      purchase.status = String(status);
      purchase.token = typeof token === 'string' ? token : '';
    }
  }

  /** As a careful merchant: the same request again while there is no answer, or 99. */
  async function patiently(send: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const answer = await send().catch(noAnswer);
      if (answer !== undefined && answer.http < 500 && answer.json.response_code !== '99') return answer;
      await sleep(RETRY_MS);
    }
    throw new Error('there was no answer for half a minute');
  }

  async function books(): Promise<{ reference: string; status: string }[]> {
    const { json, text } = await call('GET', `${system.demo.simulator_url}/sandbox/rails/biller/books`);
    if (!Array.isArray(json.items)) throw new Error(`no books: ${text.slice(0, 200)}`);
    return json.items.filter(isRecord).map((item) => {
      expect(sen(item.amount)).toBe(50_000_00n);
      return { reference: String(item.reference_number), status: String(item.status) };
    });
  }
});

function isFinal({ status }: Purchase): boolean {
  return status === 'success' || status === 'failed';
}

/** fetch throws a TypeError where the connection breaks. Any other error is a fault of the gateway or of this test. */
function noAnswer(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error;
}
