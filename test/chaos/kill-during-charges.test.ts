import process from 'node:process';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DirectDebitTransaction } from '../support/api.d.ts';
import { balanceOf, broughtBy, compareCharges, compareWebhooks, settleCharges } from './charges-check.ts';
import { startChargesLoad } from './charges-load.ts';
import type { ChargeOrder } from './charges-order.ts';
import { startWorld, type World } from './world.ts';

/** Only the long form, GERBANG_CHAOS=long: `npm test` has the crash tables of services/direct-debit. */
const long = process.env.GERBANG_CHAOS === 'long';
const CYCLES = 3;
const CALLERS = 16;
/** Charges that are answered before each kill, and after the last one. */
const CHARGES_BETWEEN = 25;

/** All processes that take part in a charge or a binding. */
const VICTIMS = [
  ...['direct-debit', 'edge', 'ledger', 'merchant', 'notifier', 'simulator', 'nats', 'mongodb', 'checkout'],
  ...['direct-debit replica', 'ledger replica', 'edge replica'],
];

/** What the bank is forced to during a kill, in turn. */
const BEHAVIOURS: readonly object[] = [
  { error_rate: 0.5 },
  { outcome: 'timeout' },
  { latency_ms: 2_000, error_rate: 0.3 },
  { outcome: 'error' },
  { outcome: 'failed' },
];

const ENV = {
  // Some charges are refunded before they settle, and some after.
  SETTLEMENT_RULES: '*=20s',
  DIRECT_DEBIT_OTPS_PER_DAY: '1000000',
};

describe.skipIf(!long)('kill -9 while customers are charged', () => {
  let world: World;
  const finals = new Map<ChargeOrder, DirectDebitTransaction>();
  const bindings: string[] = [];
  const startMs = Date.now();
  let kills = 0;

  beforeAll(async () => {
    world = await startWorld({ name: 'charges', replicated: ['ledger', 'direct-debit', 'edge'], env: ENV });
  }, 120_000);

  afterAll(async () => {
    await world?.stop();
    const seconds = Math.round((Date.now() - startMs) / 1_000);
    const done = `${finals.size} charges, ${bindings.length} bindings, ${kills} kills, ${world?.sink.hooks.length} webhooks`;
    process.stdout.write(`${done}, ${seconds} s; by status:\n${countsOf(finals.values())}`);
  });

  test.each(Array.from({ length: CYCLES }, (_, cycle) => cycle))(
    'of each process loses, doubles and invents nothing (%i)',
    async (cycle) => {
      const before = await balanceOf(world);
      const load = startChargesLoad(world, CALLERS);
      for (const victim of VICTIMS) {
        await moreAnswers(load.answered);
        const behaviour = BEHAVIOURS[(kills + cycle) % BEHAVIOURS.length];
        expect(await world.control('PUT', 'rails/direct-debit', behaviour)).toMatchObject({ http: 200 });
        await world.kill(victim);
        kills++;
        expect(await world.control('DELETE', 'rails/direct-debit')).toMatchObject({ http: 200 });
      }
      await moreAnswers(load.answered);
      await load.end();
      const settled = await settleCharges(world, load.orders);
      // Every charge has one final state, under the transaction that was answered.
      for (const [order, id] of load.transactions) expect(settled.get(order)?.transaction_id, order.reference).toBe(id);
      for (const [order, transaction] of settled) finals.set(order, transaction);
      bindings.push(...load.bindings);
      expect({
        balance: await balanceOf(world),
        books: await compareCharges(world, finals),
        webhooks: await compareWebhooks(world, finals, bindings),
        ledger: await world.verifyLedger(),
      }).toEqual({
        balance: { pending: 0n, available: before.available + broughtBy(settled) },
        books: [],
        webhooks: [],
        ledger: [],
      });
    },
    900_000,
  );
});

function moreAnswers(answered: () => number): Promise<unknown> {
  const before = answered();
  return eventually('charges are answered', () => answered() >= before + CHARGES_BETWEEN, 120_000);
}

/** What has become of charges and refunds, for the reader of a run. */
function countsOf(transactions: Iterable<DirectDebitTransaction>): string {
  const counts = new Map<string, number>();
  for (const { status, requires_otp: requiresOtp, refunds } of transactions) {
    for (const key of [
      `charge${requiresOtp ? ' with OTP' : ''} ${status}`,
      ...refunds.map((refund) => `refund ${refund.status}`),
    ])
      counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .toSorted()
    .map(([key, count]) => `  ${key}: ${count}\n`)
    .join('');
}
