import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { type System, startSystem } from '../../launcher/system.ts';
import { call, type MerchantClient, sen, signIn } from '../support/merchant-client.ts';
import { replicaPorts, replicasOf } from '../support/replicas.ts';
import type { Benchmark, Figures } from './harness/benchmark.ts';
import { cpuMsByProcess } from './process-cpu.ts';

const PLANS = Number(process.env.BENCH_PLANS ?? 10_000);
const CALLERS = 32;
/** Longer than it takes to make them. */
const STARTS_IN_MS = 2 * 3_600_000;
const CAPTURED_AFTER_MS = 60_000;
const LOOK_EVERY_MS = 500;
const DRAINED_WITHIN_MS = 300_000;
/** A run that is slower than its bar still says how slow. */
const PATIENCE_MS = 4 * DRAINED_WITHIN_MS;
const RUPIAH = '25000.00';

/** What all processes of a run have used, by name; both instances of cards are counted together. */
type Processor = () => Map<string, number>;
type Counts = { charged(): Promise<number>; captured(): Promise<number> };

/**
 * Subscriptions that are all due in one moment, and two replicas of the service that charges them: until the last one is charged,
 * and until the last charge is captured and credited. What was charged is compared with the acquirer's books.
 */
export const plans: Benchmark = {
  name: 'plans',
  about: `${PLANS} subscriptions due in one moment, two replicas: until the last one is charged, captured and credited`,
  needs: 'nats-server; five minutes',
  rounds: 0,
  bars: [
    { name: 'the last one is charged after, ms', figure: 'due together.lastChargedMs', max: DRAINED_WITHIN_MS },
    { name: 'not charged once', figure: 'due together.notOnce', max: 0 },
  ],
  async prepare(resources) {
    const env = { RATE_LIMIT_PER_MINUTE: '100000000', LOG_LEVEL: 'warn', CARD_VELOCITY_LIMITS: '[]' };
    const system = await startSystem({ name: 'bench-plans', env });
    resources.defer(() => system.stop());
    const ports = await replicaPorts(system.ports, ['cards']);
    const replicas = replicasOf(system, { replicated: ['cards'], ports, env });
    resources.defer(() => replicas.stop());
    await replicas.start();
    const database = await MongoClient.connect(system.mongodb.uri);
    resources.defer(() => database.close());
    const cards = database.db(`${system.mongodb.prefix}cards`);
    const counts: Counts = {
      charged: () => cards.collection('card_cycles').countDocuments({ status: 'success' }),
      captured: () => cards.collection('card_payments').countDocuments({ status: { $in: ['captured', 'settling', 'settled'] } }),
    };
    const processor = () => cpuMsByProcess([...system.pids(), ...replicas.pids().values()]);
    return { floors: {}, subjects: {}, once: { 'due together': () => measure(system, counts, processor) } };
  },
};

async function measure(system: System, counts: Counts, processor: Processor): Promise<Figures> {
  const { demo } = system;
  const merchant = await signIn(demo.base_url, demo);
  const startAtMs = Date.now() + STARTS_IN_MS;
  const createdMs = await createAll(merchant, demo.account_ids, startAtMs);
  const advance = (ms: number) => call('POST', `${demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms }));
  const before = processor();
  const startedMs = performance.now();
  await advance(startAtMs - Date.now());
  const lastChargedMs = await until(counts.charged, startedMs);
  const after = processor();
  const capturingMs = performance.now();
  await advance(CAPTURED_AFTER_MS);
  const lastCapturedMs = await until(counts.captured, capturingMs);
  const figures: Record<string, number> = {
    createdPerSecond: (PLANS * 1_000) / createdMs,
    chargedPerSecond: (PLANS * 1_000) / lastChargedMs,
    lastChargedMs,
    capturedPerSecond: (PLANS * 1_000) / lastCapturedMs,
    lastCapturedMs,
    notOnce: await notOnce(demo.simulator_url),
  };
  for (const [name, ms] of after) figures[`cpuMs.${name}`] = (ms - (before.get(name) ?? 0)) / PLANS;
  return figures;
}

/** Makes them all; gives how long that took, milliseconds. */
async function createAll(merchant: MerchantClient, accounts: readonly string[], startAtMs: number): Promise<number> {
  const startedMs = performance.now();
  let made = 0;
  const caller = async () => {
    while (made < PLANS) {
      const account = accounts[made++ % accounts.length];
      const { http, text } = await merchant.send('POST', `/api/v2.0/recurring/${account}/plans`, newPlan(made, startAtMs));
      if (http !== 200) throw new Error(`no plan: ${http} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return performance.now() - startedMs;
}

function newPlan(index: number, startAtMs: number): object {
  return {
    card_number: luhn(`510000${String(index).padStart(9, '0')}`),
    card_expiry: '12/39',
    card_cvv: '123',
    card_holder_name: 'BUDI SANTOSO',
    name: 'Bench',
    amount: { value: RUPIAH, currency: 'IDR' },
    interval: 'month',
    interval_count: 1,
    start_at: new Date(startAtMs).toISOString(),
    customer: { name: 'Budi Santoso', email: 'budi@example.com', phone: '081234567890' },
  };
}

/** The digits with their check digit. */
function luhn(digits: string): string {
  const sum = [...digits].reduceRight((total, digit, i) => {
    const doubled = (digits.length - 1 - i) % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return digits + String((10 - (sum % 10)) % 10);
}

async function until(count: () => Promise<number>, startedMs: number): Promise<number> {
  for (;;) {
    const found = await count();
    const ms = performance.now() - startedMs;
    if (found >= PLANS) return ms;
    if (ms > PATIENCE_MS) throw new Error(`only ${found} of ${PLANS} after ${Math.round(ms)} ms`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** By how many the acquirer's books differ from one taken charge for each plan. */
async function notOnce(simulatorUrl: string): Promise<number> {
  const { json, text } = await call('GET', `${simulatorUrl}/sandbox/rails/card/books`);
  if (!Array.isArray(json.items)) throw new Error(`no books: ${text.slice(0, 200)}`);
  const right = json.items.filter(
    (item) => item.status === 'success' && item.direction === 'in' && sen(item.amount) === 2_500_000n,
  );
  return Math.abs(PLANS - right.length) + (json.items.length - right.length);
}
