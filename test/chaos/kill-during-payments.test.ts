import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { accepted, call, isRecord, type MerchantClient, newReference, sen, signIn } from '../support/merchant-client.ts';
import { type Hook, startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';

/** Long form: GERBANG_CHAOS=long, twenty rounds of 100 payments; the short form runs in `npm test`. */
const long = process.env.GERBANG_CHAOS === 'long';
const ROUNDS = long ? 20 : 2;
const PAYMENTS = long ? 100 : 24;
const RUPIAH = 20_000;

const RAILS = ['va', 'qris', 'ewallet', 'retail'] as const;
type Rail = (typeof RAILS)[number];

/** Something that a customer pays: how, and what the rail's books and the webhook call it. */
type Payable = { rail: Rail; pay: () => Promise<boolean>; booked: string };

/** The webhook of each rail's product, and which field of its resource the rail's books name too. */
const HOOKS: Record<Rail, { event: string; field: string }> = {
  va: { event: 'va-transaction', field: 'number' },
  qris: { event: 'qris-transaction', field: 'reff_no' },
  ewallet: { event: 'ewallet-transaction', field: 'transaction_id' },
  retail: { event: 'retail-transaction', field: 'payment_code' },
};

describe('kill -9 of money-in between a payment at the rail and its webhook', () => {
  let system: System;
  let sink: WebhookSink;
  let merchant: MerchantClient;

  beforeAll(async () => {
    sink = await startWebhookSink();
    // Its customers buy more in a minute than one merchant's limits let them.
    const env = { RATE_LIMIT_PER_MINUTE: '100000', RATE_LIMIT_RETAIL_PER_MINUTE: '100000' };
    system = await startSystem({ name: 'chaos-in', shuffleUnsorted: true, env });
    merchant = await signIn(system.demo.base_url, system.demo);
    await accepted(merchant.api.PUT('/api/v1.0/callback-settings', { body: { transaction_notif_url: sink.url } }));
  }, 120_000);

  afterAll(async () => {
    await system?.stop();
    await sink?.close();
  });

  test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'loses, doubles and invents nothing (%i)',
    async (round) => {
      const account = await newAccount(merchant);
      const payables = await Promise.all(
        Array.from({ length: PAYMENTS }, (_, i) => newPayable(system, merchant, account, RAILS[i % RAILS.length] ?? 'va', i)),
      );
      let answered = 0;
      const paying = payables.map(async ({ pay }, i) => {
        await sleep(i * 5);
        const isPaid = await pay();
        answered++;
        return isPaid;
      });
      // Some payments are answered, some on their way, some not begun; another moment of each in every round.
      await eventually('some payments are answered', () => answered > round % (PAYMENTS / 4));
      await system.kill('money-in', 'SIGKILL');
      const confirmed = await Promise.all(paying);
      await system.ready();
      expect(confirmed.filter(Boolean).length).toBeGreaterThan(0);

      // What the rails say they have taken, once they have reported all of it.
      const booked = await eventually('no rail has anything left to tell', () => settledBooks(system, payables), 60_000);
      const taken = payables.filter(({ booked: name }) => booked.has(name));
      for (const [i, { booked: name }] of payables.entries()) if (confirmed[i]) expect(booked.has(name)).toBe(true);

      // Every one is announced, as one event.
      const paid = await eventually(
        'all that was taken is announced',
        () => {
          const hooks = taken.map((payable) => hooksOf(sink, payable));
          return hooks.every((found) => found.length > 0) && hooks;
        },
        60_000,
      );
      for (const found of paid) expect(new Set(found.map(({ headers }) => headers['x-event-id'])).size).toBe(1);
      for (const payable of payables.filter((one) => !taken.includes(one))) expect(hooksOf(sink, payable)).toEqual([]);

      // Net and fees are what the rails have taken, to the sen, and the ledger has credited each once.
      const sums = paid.map(([hook]) => figuresOf(hook));
      const grossSen = sums.reduce((sum, { netSen, feeSen }) => sum + netSen + feeSen, 0n);
      expect(grossSen).toBe(taken.reduce((sum, { booked: name }) => sum + (booked.get(name) ?? 0n), 0n));
      const netSen = sums.reduce((sum, figures) => sum + figures.netSen, 0n);
      await eventually(
        'all of it has settled',
        async () => {
          const { available, pending } = await merchant.balance(account);
          expect(available + pending).toBe(netSen);
          return pending === 0n;
        },
        60_000,
      );
      expect(await system.verifyLedger()).toEqual([]);
    },
    180_000,
  );
});

async function newAccount(merchant: MerchantClient): Promise<string> {
  return (await accepted(merchant.api.POST('/api/v1.0/accounts', { body: { name: 'Chaos' } }))).id;
}

/** Orders something to pay, and says how the customer does. */
async function newPayable(
  system: System,
  merchant: MerchantClient,
  account: string,
  rail: Rail,
  index: number,
): Promise<Payable> {
  const { api } = merchant;
  const params = { path: { account_id: account } };
  const [amount, reference] = [RUPIAH + index, newReference('chaos')];
  const asked = { amount, merchant_reff_no: reference };
  const payAt = (path: string, body: object) => async () => {
    const { json } = await call('POST', `${system.demo.simulator_url}/sandbox/${path}`, JSON.stringify(body));
    return json.accepted === true;
  };
  switch (rail) {
    case 'va': {
      const expiry = { max_usage: 1, expired_at: String(Date.now() + 600_000) };
      const body = { ...asked, ...expiry, bank_code: 'BCA', kind: 'temporary', name: 'Budi' } as const;
      const { number } = await accepted(api.POST('/api/v1.0/virtual-accounts/{account_id}', { params, body }));
      return { rail, booked: number, pay: payAt(`virtual-accounts/${number}/pay`, { amount }) };
    }
    case 'qris': {
      const generated = api.POST('/api/v1.0/qris-dynamic/{account_id}/generate', { params, body: asked });
      const { reff_no: code, qr_data } = await accepted(generated);
      return { rail, booked: code, pay: payAt('qris/pay', { qr_data }) };
    }
    case 'ewallet': {
      const body = { ...asked, channel: 'DANA' } as const;
      const { transaction_id: id } = await accepted(api.POST('/api/v1.0/ewallet-checkout/{account_id}', { params, body }));
      return { rail, booked: id, pay: payAt(`ewallet/${id}/confirm`, { outcome: 'success' }) };
    }
    case 'retail': {
      const body = { ...asked, retail_code: 'ALFAMART', customer_name: 'Siti', expired_at: Date.now() + 600_000 } as const;
      const { payment_code: code } = await accepted(api.POST('/api/v1.0/retail-transactions/{account_id}', { params, body }));
      return { rail, booked: code, pay: payAt(`retail/${code}/pay`, { amount }) };
    }
    default:
      return rail satisfies never;
  }
}

/** What was taken for each of the payables, sen; undefined while a rail still waits to be heard. */
async function settledBooks(system: System, payables: readonly Payable[]): Promise<Map<string, bigint> | undefined> {
  const names = new Set(payables.map(({ booked }) => booked));
  const taken = new Map<string, bigint>();
  for (const rail of RAILS) {
    const { json, text } = await call('GET', `${system.demo.simulator_url}/sandbox/rails/${rail}/books`);
    if (!Array.isArray(json.items)) throw new Error(`no books: ${text.slice(0, 200)}`);
    for (const item of json.items.filter(isRecord)) {
      const name = String(item.transaction_id);
      if (!names.has(name)) continue;
      if (item.status === 'pending') return undefined;
      if (item.status !== 'success') continue;
      // Each can be paid once.
      if (taken.has(name)) throw new Error(`${name} was taken twice`);
      taken.set(name, sen(item.amount));
    }
  }
  return taken;
}

function hooksOf(sink: WebhookSink, { rail, booked }: Payable): Hook[] {
  const { event, field } = HOOKS[rail];
  return sink.hooks.filter(({ body }) => body.event === event && isRecord(body.data) && body.data[field] === booked);
}

/** Net amount and fee as the resource shows them; QRIS writes them as numbers of rupiah. */
function figuresOf(hook: Hook | undefined): { netSen: bigint; feeSen: bigint } {
  const data = hook?.body.data;
  if (!isRecord(data)) throw new Error('a webhook without data');
  if (typeof data.settled_to_merchant_amount === 'number' && typeof data.mdr_cost === 'number')
    return { netSen: BigInt(data.settled_to_merchant_amount) * 100n, feeSen: BigInt(data.mdr_cost) * 100n };
  const fee = isRecord(data.fees) ? data.fees.amount : data.fee;
  return { netSen: sen(data.net_amount), feeSen: sen(fee) };
}
