import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type System, startSystem } from '../../launcher/system.ts';
import { inquireStatus, newOrder, notifyAt, order as orderOnce } from '../support/disbursement.ts';
import { call, idr, isRecord, type MerchantClient, newReference, sen, signIn, statusOf } from '../support/merchant-client.ts';
import { startWebhookSink, type WebhookSink } from '../support/webhook-sink.ts';

/** Long form: GERBANG_CHAOS=long, 200 transfers for each process; the short form runs in `npm test`. */
const long = process.env.GERBANG_CHAOS === 'long';
const TRANSFERS = long ? 200 : 60;
/** A merchant tries for half a minute. */
const ATTEMPTS_MAX = 60;
const RETRY_MS = 500;
const VICTIMS = ['edge', 'merchant', 'ledger', 'money-out', 'notifier', 'simulator', 'nats', 'mongodb'];

type Order = { reference: string; amountSen: bigint; accepted: string | undefined };

describe('kill -9 during transfers', () => {
  let system: System;
  let sink: WebhookSink;
  let merchant: MerchantClient;
  let account: string;

  beforeAll(async () => {
    sink = await startWebhookSink();
    // Waiting for final states asks about all orders again and again: within the usual limit of requests this would be a wait for
    // the next minute.
    const env = { RATE_LIMIT_PER_MINUTE: '100000000' };
    system = await startSystem({ name: 'chaos', shuffleUnsorted: true, ownMongo: true, env });
    account = system.demo.account_ids[0];
    merchant = await signIn(system.demo.base_url, system.demo);
    await notifyAt(merchant, sink.url);
  }, 120_000);

  afterAll(async () => {
    await system?.stop();
    await sink?.close();
  });

  test.each(VICTIMS)(
    'of %s loses, doubles and invents nothing',
    async (victim) => {
      const before = await merchant.balance(account);
      const booksBefore = new Set((await books(system)).map((entry) => entry.transactionId));
      const orders = Array.from(
        { length: TRANSFERS },
        (_, i): Order => ({
          reference: newReference(victim),
          amountSen: BigInt(10_000 + i) * 100n,
          accepted: undefined,
        }),
      );

      const killing = eventually(
        'some transfers are answered',
        () => orders.filter((order) => order.accepted !== undefined).length >= TRANSFERS / 10,
      ).then(() => system.kill(victim, 'SIGKILL'));
      await pool(orders, long ? TRANSFERS : TRANSFERS / 4, async (order) => {
        order.accepted = await orderTransfer(merchant, account, order);
      });
      await killing;
      await system.ready();

      const accepted = orders.filter((order) => order.accepted !== undefined);
      expect(accepted.length).toBe(TRANSFERS);
      const finals = await eventually('every accepted transfer is final', () => finalStates(merchant, account, orders), 60_000);

      // Every reference that was answered SP000 has reached a final state under the same transaction id.
      for (const order of accepted) expect(finals.get(order.reference)?.transactionId).toBe(order.accepted);

      // The bank's books: each paid reference once, with its amount, and no other.
      const paid = (await books(system)).filter((entry) => !booksBefore.has(entry.transactionId) && entry.status === 'success');
      const expected = [...finals.values()].filter((final) => final.status === '00');
      expect(paid.map((entry) => entry.reference).sort()).toEqual(expected.map((final) => final.reference).sort());
      for (const entry of paid)
        expect(entry.amountSen).toBe(orders.find((order) => order.reference === entry.reference)?.amountSen);

      // The ledger equals the transactions, holds nothing back and sums to zero.
      const after = await eventually('nothing is held', async () => {
        const balance = await merchant.balance(account);
        return balance.held === before.held && balance;
      });
      const spent = expected.reduce((sum, final) => sum + final.grossSen, 0n);
      expect(before.available - after.available).toBe(spent);
      expect(await system.verifyLedger()).toEqual([]);

      // Every final state is announced.
      await eventually(
        'every final state is announced',
        () => [...finals.keys()].every((reference) => sink.about(reference).length > 0),
        60_000,
      );
      for (const [reference, final] of finals) {
        for (const hook of sink.about(reference)) expect(statusOf(hook.body.data as Record<string, unknown>)).toBe(final.status);
      }
    },
    180_000,
  );
});

/**
 * Orders a transfer as a careful merchant does: the same request again until there is an answer. Gives the transaction id of an
 * SP000.
 */
async function orderTransfer(merchant: MerchantClient, accountId: string, order: Order): Promise<string | undefined> {
  const body = newOrder(accountId, {
    reference_number: order.reference,
    amount: idr(Number(order.amountSen / 100n)),
  });
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const answer = await orderOnce(merchant, body).catch(noAnswer);
    if (answer?.data?.response_code === 'SP000') return answer.data.data.transaction_id;
    // No answer, or one that leaves the outcome open: the same request again, under the same reference.
    if (answer !== undefined && answer.response.status < 500) return undefined;
    await sleep(RETRY_MS);
  }
  return undefined;
}

/** fetch throws a TypeError where the connection breaks. Any other error is a fault of the gateway or of this test. */
function noAnswer(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error;
}

type Final = { reference: string; transactionId: string; status: string; grossSen: bigint };

/** The final states of all orders that exist; undefined while one of them is still open. */
async function finalStates(
  merchant: MerchantClient,
  accountId: string,
  orders: readonly Order[],
): Promise<Map<string, Final> | undefined> {
  const finals = new Map<string, Final>();
  for (const { reference, accepted } of orders) {
    const { data: answer, error } = await inquireStatus(merchant, accountId, reference);
    if (error?.response_code === 'SP009' && accepted === undefined) continue;
    if (answer === undefined) return undefined;
    const { transaction_id: transactionId, transaction_status: status, gross_amount: gross } = answer.data;
    if (status.code !== '00' && status.code !== '06') return undefined;
    finals.set(reference, { reference, transactionId, status: status.code, grossSen: sen(gross) });
  }
  return finals;
}

async function books(system: System): Promise<{ reference: string; transactionId: string; amountSen: bigint; status: string }[]> {
  const { json, text } = await call('GET', `${system.demo.simulator_url}/sandbox/rails/bank-transfer/books`);
  if (!Array.isArray(json.items)) throw new Error(`no books: ${text.slice(0, 200)}`);
  return json.items.filter(isRecord).map((item) => ({
    reference: String(item.reference_number),
    transactionId: String(item.transaction_id),
    amountSen: sen(item.amount),
    status: String(item.status),
  }));
}

async function pool<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}
