import process from 'node:process';
import { eventually } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balancesOf, compareBooks, compareWebhooks, expectedBalances, settleAll } from './money-out-check.ts';
import { startLoad } from './money-out-load.ts';
import type { Order, Transaction } from './money-out-order.ts';
import { startWorld, type World } from './world.ts';

/** Long form (`npm run chaos`): every process is killed five times, under more load; the short form runs in `npm test`. */
const long = process.env.GERBANG_CHAOS === 'long';
const CYCLES = long ? 5 : 1;
/** The processes that these orders need, one instance of each, and the second money-out. */
const VICTIMS = ['money-out', 'edge', 'ledger', 'merchant', 'notifier', 'simulator', 'nats', 'mongodb', 'money-out replica'];
/** Others that share the database, the ledger or the pages with them. */
const MORE_VICTIMS = ['ledger replica', 'edge replica', 'money-in', 'checkout'];
const victims = long ? [...VICTIMS, ...MORE_VICTIMS] : VICTIMS;
const CALLERS = long ? 24 : 8;
/** Orders that are answered before each kill, and after the last one. */
const ORDERS_BETWEEN = long ? 60 : 8;
const CODES_LIVE_MS = 2 * 3_600_000;

/** What is forced during a kill, in turn: errors before and after the booking, silence, refusals, slowness, and nothing. */
const DISTURBANCES: readonly { rail: string; behaviour: object }[] = [
  { rail: 'bank-transfer', behaviour: { error_rate: 0.5 } },
  { rail: 'ewallet', behaviour: { outcome: 'timeout' } },
  { rail: 'qris', behaviour: { error_rate: 0.5 } },
  { rail: 'cardless', behaviour: { outcome: 'timeout' } },
  { rail: 'bank-transfer', behaviour: { outcome: 'error' } },
  { rail: 'ewallet', behaviour: { latency_ms: 2_000, error_rate: 0.3 } },
  { rail: 'qris', behaviour: { outcome: 'timeout' } },
  { rail: 'cardless', behaviour: { error_rate: 0.5 } },
  { rail: 'bank-transfer', behaviour: { outcome: 'failed' } },
];

describe('kill -9 while all products send money', () => {
  let world: World;
  const finals = new Map<Order, Transaction>();
  const startMs = Date.now();
  let kills = 0;

  beforeAll(async () => {
    world = await startWorld({ name: 'out', replicated: ['ledger', 'money-out', 'edge'] });
  }, 120_000);

  afterAll(async () => {
    await world?.stop();
    if (long) process.stdout.write(reportOf({ finals, kills, hooks: world.sink.hooks.length, ms: Date.now() - startMs }));
  });

  test.each(Array.from({ length: CYCLES }, (_, cycle) => cycle + 1))(
    'of each process loses, doubles and invents nothing (%i)',
    async (cycle) => {
      const before = await balancesOf(world);
      const { json } = await world.control('GET', 'clock');
      const load = startLoad(world, { callers: CALLERS, expiresAtMs: Number(json.now) + CODES_LIVE_MS });
      for (const victim of victims) {
        await moreAnswers(load.answered);
        const disturbance = DISTURBANCES[(kills + cycle - 1) % DISTURBANCES.length];
        await disturb(world, 'PUT', disturbance);
        await world.kill(victim);
        kills++;
        await disturb(world, 'DELETE', disturbance);
      }
      await moreAnswers(load.answered);
      await load.end();
      const settled = await settleAll(world, load.orders);
      // Every order has one final state, under the transaction that was answered.
      for (const [order, id] of load.accepted) expect(settled.get(order)?.transactionId, order.reference).toBe(id);
      for (const [order, transaction] of settled) finals.set(order, transaction);
      const after = await eventually('nothing is held', () => balancesOf(world));
      expect({
        balances: after,
        books: await compareBooks(world, finals),
        webhooks: await compareWebhooks(world, finals),
        ledger: await world.verifyLedger(),
      }).toEqual({ balances: expectedBalances(before, settled), books: [], webhooks: [], ledger: [] });
    },
    long ? 900_000 : 300_000,
  );
});

function moreAnswers(answered: () => number): Promise<unknown> {
  const before = answered();
  return eventually('orders are answered', () => answered() >= before + ORDERS_BETWEEN, 60_000);
}

async function disturb(world: World, method: 'PUT' | 'DELETE', disturbance: (typeof DISTURBANCES)[number] | undefined) {
  if (disturbance === undefined) throw new Error('nothing to disturb');
  const { rail, behaviour } = disturbance;
  const answer = await world.control(method, `rails/${rail}`, method === 'PUT' ? behaviour : undefined);
  expect(answer).toMatchObject({ http: 200 });
}

type Report = { finals: ReadonlyMap<Order, Transaction>; kills: number; hooks: number; ms: number };

/** What the long form has done, for its reader. */
function reportOf({ finals, kills, hooks, ms }: Report): string {
  const counts = new Map<string, number>();
  for (const [{ product }, { status }] of finals) {
    const key = `${product} ${status}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const lines = [...counts].toSorted().map(([key, count]) => `  ${key}: ${count}\n`);
  const seconds = Math.round(ms / 1_000);
  return `${finals.size} orders, ${kills} kills, ${hooks} webhooks, ${seconds} s; by product and final status:\n${lines.join('')}`;
}
