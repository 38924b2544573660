import process from 'node:process';
import { eventually } from '@gerbang/testkit';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accepted } from '../support/merchant-client.ts';
import { advance, allPayments, broughtByCards, compareCards, type Finals, settleCards } from './cards-check.ts';
import { startCardsLoad } from './cards-load.ts';
import { compareCardWebhooks } from './cards-webhooks.ts';
import { balanceOf } from './charges-check.ts';
import { startWorld, type World } from './world.ts';

/** Only the long form, GERBANG_CHAOS=long: `npm test` has the crash tables of services/cards. */
const long = process.env.GERBANG_CHAOS === 'long';
const CYCLES = 3;
const CALLERS = 12;
/** Payments that are answered before each kill, and after the last one. */
const PAYMENTS_BETWEEN = 20;
/** By how much business time goes on at each kill: a cycle of a plan is due after twelve. Less than an Idempotency-Key stands. */
const ADVANCE_MS = 2 * 3_600_000;

/** All processes that take part in a payment or a plan. */
const VICTIMS = [
  ...['cards', 'edge', 'ledger', 'merchant', 'notifier', 'simulator', 'nats', 'mongodb', 'checkout'],
  ...['cards replica', 'ledger replica', 'edge replica'],
];

/** What the acquirer is forced to during a kill, in turn. */
const BEHAVIOURS: readonly object[] = [
  { error_rate: 0.5 },
  { outcome: 'timeout' },
  { latency_ms: 2_000, error_rate: 0.3 },
  { outcome: 'error' },
  { outcome: 'failed' },
];

/** Some payments are cancelled before their capture, some before they settle, and some after. */
const ENV = { SETTLEMENT_RULES: '*=20s', CARD_CAPTURE_SECONDS: '10' };

describe.skipIf(!long)('kill -9 while cards are charged', () => {
  let world: World;
  let database: MongoClient;
  const finals: Finals = { payments: new Map(), plans: new Map() };
  const startMs = Date.now();
  let kills = 0;

  beforeAll(async () => {
    world = await startWorld({ name: 'cards', replicated: ['ledger', 'cards', 'edge'], env: ENV });
    const settings = { transaction_notif_url: world.sink.url };
    await accepted(world.merchants[0].api.PUT('/api/v1.0/callback-settings', { body: settings }));
    database = await MongoClient.connect(world.mongodb.uri);
  }, 120_000);

  afterAll(async () => {
    await database?.close();
    await world?.stop();
    const seconds = Math.round((Date.now() - startMs) / 1_000);
    const done = `${finals.payments.size} payments, ${finals.plans.size} plans, ${kills} kills, ${world?.sink.hooks.length} webhooks`;
    process.stdout.write(`${done}, ${seconds} s; by status:\n${countsOf(finals)}`);
  });

  test.each(Array.from({ length: CYCLES }, (_, cycle) => cycle))(
    'of each process loses, doubles and invents nothing (%i)',
    async (cycle) => {
      const before = await balanceOf(world);
      const load = startCardsLoad(world, CALLERS);
      for (const victim of VICTIMS) {
        await moreAnswers(load.answered);
        const behaviour = BEHAVIOURS[(kills + cycle) % BEHAVIOURS.length];
        expect(await world.control('PUT', 'rails/card', behaviour)).toMatchObject({ http: 200 });
        await world.kill(victim);
        kills++;
        expect(await world.control('DELETE', 'rails/card')).toMatchObject({ http: 200 });
        await advance(world, ADVANCE_MS);
      }
      await moreAnswers(load.answered);
      await load.end();
      const settled = await settleCards(world, load.orders);
      for (const [order, payment] of settled.payments) finals.payments.set(order, payment);
      for (const [id, ended] of settled.plans) finals.plans.set(id, ended);
      expect({
        balance: await balanceOf(world),
        books: await compareCards(world, finals),
        webhooks: await compareCardWebhooks(world, finals),
        ledger: await world.verifyLedger(),
      }).toEqual({
        balance: { pending: 0n, available: before.available + broughtByCards(settled) },
        books: [],
        webhooks: [],
        ledger: [],
      });
      // Every plan has ended, so no card is kept.
      const kept = database.db(`${world.mongodb.prefix}cards`).collection('card_tokens');
      await eventually('no card is kept', async () => (await kept.countDocuments({})) === 0, 30_000);
    },
    900_000,
  );
});

function moreAnswers(answered: () => number): Promise<unknown> {
  const before = answered();
  return eventually('payments are answered', () => answered() >= before + PAYMENTS_BETWEEN, 120_000);
}

/** What has become of payments, plans and cycles, for the reader of a run. */
function countsOf(finals: Finals): string {
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { status, failed_code: code } of allPayments(finals)) count(`payment ${status} ${code ?? ''}`.trimEnd());
  for (const { plan, cycles } of finals.plans.values()) {
    count(`plan ${plan.status} ${plan.ended_reason}`);
    for (const { status } of cycles) count(`cycle ${status}`);
  }
  return [...counts]
    .toSorted()
    .map(([key, times]) => `  ${key}: ${times}\n`)
    .join('');
}
