import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, isRecord, sen } from '../support/merchant-client.ts';
import { startWorld, type World } from './world.ts';

/** Only the long form, GERBANG_CHAOS=long: `npm test` has the crash tables of services/biller. */
const long = process.env.GERBANG_CHAOS === 'long';
const PURCHASES = 60;
/** A merchant tries for half a minute. */
const ATTEMPTS_MAX = 60;
const RETRY_MS = 500;
const VICTIMS = ['edge', 'ledger', 'biller', 'notifier', 'simulator', 'nats', 'mongodb', 'biller replica'];
const PRICE_SEN = 52_500_00n;
/** Most succeed, some fail, some are answered late. */
const CUSTOMERS = ['12345678901', '12345678902', '12345670001', '12345670002', '12345670003'];

type Calls = ReturnType<World['merchants'][0]['at']>;
type Purchase = { customer: string; reference: string; status: string; token: string };

describe.skipIf(!long)('kill -9 during purchases', () => {
  let world: World;
  /** Every second one goes to the other edge, and so to the other biller. */
  let calls = 0;

  beforeAll(async () => {
    world = await startWorld({ name: 'biller', replicated: ['biller', 'edge'] });
  }, 120_000);

  afterAll(() => world?.stop());

  test.each(VICTIMS)(
    'of %s: each reference is debited once, as the biller says, and its token comes to the merchant',
    async (victim) => {
      const { source, sink } = world;
      const [merchant] = world.merchants;
      const before = await merchant.balance(source);
      const purchases = Array.from({ length: PURCHASES }, (_, i): Purchase => {
        return { customer: CUSTOMERS[i % CUSTOMERS.length] ?? '', reference: '', status: '', token: '' };
      });
      const killing = eventually('some are paid', () => purchases.filter(({ status }) => status !== '').length >= 6, 60_000).then(
        () => world.kill(victim),
      );
      await Promise.all(purchases.map((purchase) => buy(purchase)));
      await killing;
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
        const balance = await merchant.balance(source);
        return balance.held === before.held && balance;
      });
      expect(before.available - after.available).toBe(PRICE_SEN * BigInt(bought.length));
      expect(await world.verifyLedger()).toEqual([]);
      await eventually(
        'every end is announced',
        () => purchases.every(({ reference }) => sink.about(reference).length > 0),
        120_000,
      );
      for (const { reference, status, token } of purchases) {
        const hooks = sink.about(reference);
        expect(new Set(hooks.map(({ headers }) => headers['x-event-id'])).size).toBe(1);
        for (const { body } of hooks) expect(body.data).toMatchObject({ status, token: token || null });
      }
    },
    300_000,
  );

  async function buy(purchase: Purchase): Promise<void> {
    const body = { command: 'plntok', data: { customer_id: purchase.customer, product_code: 'PLN50' } };
    const { json } = await patiently((merchant) => merchant.send('POST', '/api/v1/prepaid/inquiry', body));
    purchase.reference = isRecord(json.data) ? String(json.data.reference_number) : '';
    await pay(purchase);
  }

  async function pay(purchase: Purchase): Promise<void> {
    const body = { command: 'plntok', data: { reference_number: purchase.reference } };
    const { json } = await patiently((merchant) => merchant.signed('/api/v1/prepaid/payment', body));
    if (json.response_code === '04') {
      expect(json.data).toEqual({ reference_number: ['Do Not Honor'] });
      purchase.status = 'failed';
    } else if (isRecord(json.data)) {
      const { status, token } = json.data;
      purchase.status = String(status);
      purchase.token = typeof token === 'string' ? token : '';
    }
  }

  /** As a careful merchant: the same request again, at the two edges in turn, while there is no answer, or 99. */
  async function patiently(send: (merchant: Calls) => Promise<Answer>): Promise<Answer> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const edge = calls++ % 2 === 0 ? 0 : 1;
      const answer = await send(world.merchants[edge].at(world.billerUrls[edge])).catch(noAnswer);
      if (answer !== undefined && answer.http < 500 && answer.json.response_code !== '99') return answer;
      await sleep(RETRY_MS);
    }
    throw new Error('there was no answer for half a minute');
  }

  async function books(): Promise<{ reference: string; status: string }[]> {
    const { json, text } = await world.control('GET', 'rails/biller/books');
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
