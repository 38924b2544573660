import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Intent, LedgerService, RoutingService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { Health } from '@gerbang/proto/grpc/health/v1/health';
import { openLedgerChannel, type RpcChannel, type RpcClient, verifyLedger } from '@gerbang/rpc';
import { eventually, freePort } from '@gerbang/testkit';
import { type Collection, MongoClient } from 'mongodb';
import { measurePgbench } from './pgbench.ts';
import { cpuMsByProcess } from './process-cpu.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const MERCHANTS = 1_000;
const ACCOUNTS = 10_000;
const CALLERS = 512;
const FUNDED_SEN = 10n ** 12n;
/** Projections at most this far behind count as sustained. */
const BEHIND_MAX_MS = 5_000;

type Ledger = RpcClient<typeof LedgerService>;
type Latencies = { perSecond: number; p50Ms: number; p99Ms: number };

/**
 * Durable postings a second through the typed client, from another process than the ledger's, on MongoDB as configured or an embedded one: spread
 * evenly, by Zipf's law, all on one account; a lone client beside what its call is made of; and the peers. `BENCH_SECONDS` is for each load.
 */
export async function benchLedger(): Promise<object> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-bench-ledger-'));
  const children: ChildProcess[] = [];
  const [mongoPort, rpcPort, adminPort] = [await freePort(), await freePort(), await freePort()];
  const uri = process.env.MONGODB_URI ?? `mongodb://127.0.0.1:${mongoPort}/?directConnection=true`;
  const start = (program: string, args: readonly string[], env: Record<string, string>) => {
    const main = fileURLToPath(new URL(`../../${program}/src/main.ts`, import.meta.url));
    const child = spawn(process.execPath, [main, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...env },
    });
    children.push(child);
    return child;
  };
  const prefix = `bench_${process.pid}_`;
  const mongo = new MongoClient(uri, { writeConcern: { w: 'majority', journal: true }, readConcern: { level: 'majority' } });
  const channel = openLedgerChannel({ addresses: [`127.0.0.1:${rpcPort}`], tls: undefined, timeoutMs: 30_000 });
  try {
    if (process.env.MONGODB_URI === undefined) {
      start('packages/embedded-mongo', ['--data', path.join(folder, 'mongo'), '--port', String(mongoPort)], {});
      await eventually('MongoDB answers', async () => (await mongo.connect()) !== undefined, 30_000);
    }
    start('services/ledger', [], {
      GERBANG_ENV: 'sandbox',
      MONGODB_URI: uri,
      MONGODB_DB_PREFIX: prefix,
      RPC_PORT: String(rpcPort),
      ADMIN_PORT: String(adminPort),
    });
    const ready = async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).ok;
    await eventually('the ledger is ready', ready, 30_000);
    const ledger = channel.client(LedgerService);
    await fund(ledger);
    const measure = async (account: () => number) => {
      const cpuBefore = cpuMsByProcess(pidsOf(children));
      const load = await drive(CALLERS, SECONDS * 1_000, () => hold(ledger, account()));
      const cpuAfter = cpuMsByProcess(pidsOf(children));
      const behindPostings = await lagOf(adminPort);
      const endMs = performance.now();
      await eventually('all is projected', async () => (await lagOf(adminPort)) === 0, 300_000);
      const drainedMs = Math.round(performance.now() - endMs);
      const { perSecond: acceptedPerSecond, ...latencies } = load;
      const projectedPerSecond = Math.round(acceptedPerSecond - behindPostings / SECONDS);
      const sustainedPerSecond = drainedMs <= BEHIND_MAX_MS ? acceptedPerSecond : projectedPerSecond;
      const cpuMicrosPerPosting = Object.fromEntries(
        [...cpuAfter].map(([name, ms]) => [
          name,
          Math.round(((ms - (cpuBefore.get(name) ?? 0)) * 1_000) / (acceptedPerSecond * SECONDS)),
        ]),
      );
      return { acceptedPerSecond, sustainedPerSecond, ...latencies, behindPostings, drainedMs, cpuMicrosPerPosting };
    };
    const uniform = await measure(() => Math.floor(Math.random() * ACCOUNTS));
    const zipf = await measure(zipfian(ACCOUNTS));
    const hot = await measure(() => 0);
    const lone = await drive(1, (SECONDS * 1_000) / 4, (n) => hold(ledger, n % ACCOUNTS));
    const bare = mongo.db(`${prefix}bare`).collection<Bare>('bare');
    const parts = {
      insert: await drive(1, 3_000, (n) => bare.insertOne({ _id: `bare-${n}`, sen: 1 })),
      findOne: await drive(1, 3_000, (n) => bare.findOne({ _id: `bare-${n}` })),
      call: await drive(1, 3_000, () => channel.client(Health).check({})),
    };
    const floorP50Ms = Object.values(parts).reduce((sum, { p50Ms }) => sum + p50Ms, 0);
    await mustBeIntact(channel);
    const plainMongo = await measurePlain(bare);
    await mongo.db(`${prefix}ledger`).dropDatabase();
    await mongo.db(`${prefix}bare`).dropDatabase();
    for (const child of children.splice(0).toReversed()) await stop(child);
    const pgbench = await measurePgbench(Math.max(1, Math.round(SECONDS / 3)));
    return {
      machine: `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, load generator included`,
      mongodb: process.env.MONGODB_URI === undefined ? 'embedded' : 'as configured',
      secondsEach: SECONDS,
      callers: CALLERS,
      uniform,
      zipf,
      hot,
      hotToUniform: ratio(hot.acceptedPerSecond, uniform.acceptedPerSecond),
      lone: { ...lone, parts, floorP50Ms: Number(floorP50Ms.toFixed(2)), toFloor: ratio(lone.p50Ms, floorP50Ms) },
      plainMongo,
      pgbench,
    };
  } finally {
    await channel.close();
    await mongo.close();
    for (const child of children.toReversed()) await stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

const ratio = (a: number, b: number) => Number((a / b).toFixed(2));
const pidsOf = (children: readonly ChildProcess[]) => children.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Calls one after the other by each of a number of callers, for a time; a call that fails ends it. */
async function drive(callers: number, durationMs: number, call: (n: number) => Promise<unknown>): Promise<Latencies> {
  const latenciesMs: number[] = [];
  let n = 0;
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - startMs < durationMs) {
        const sentMs = performance.now();
        await call(n++);
        latenciesMs.push(performance.now() - sentMs);
      }
    }),
  );
  const tookMs = performance.now() - startMs;
  latenciesMs.sort((a, b) => a - b);
  const at = (share: number) => Number((latenciesMs[Math.floor(latenciesMs.length * share)] ?? Number.NaN).toFixed(2));
  return { perSecond: Math.round((latenciesMs.length / tookMs) * 1_000), p50Ms: at(0.5), p99Ms: at(0.99) };
}

let keys = 0;

function post(ledger: Ledger, intent: Intent, account: number, amountSen: bigint) {
  const key = ++keys;
  return ledger.post({
    merchantId: `merchant-${account % MERCHANTS}`,
    partition: 'p0',
    postingKey: `bench-${key}`,
    intent,
    accountId: `account-${account}`,
    amountSen,
    rail: 'bank-transfer',
    product: 'disbursement',
    transactionId: `transaction-${key}`,
    referenceNumber: `reference-${key}`,
    description: 'Bench',
  });
}

const hold = (ledger: Ledger, account: number) => post(ledger, Intent.HOLD, account, 1n);

/** Money for every account; it warms everything up, too. */
async function fund(ledger: Ledger): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < ACCOUNTS) await post(ledger, Intent.CREDIT, next++, FUNDED_SEN);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

async function mustBeIntact(channel: RpcChannel): Promise<void> {
  const lines: string[] = [];
  const clients = { ledger: channel.client(LedgerService), routing: channel.client(RoutingService) };
  const { differences, sumSen } = await verifyLedger(clients, { difference: (line) => lines.length < 5 && lines.push(line) });
  if (differences > 0 || sumSen !== 0n) throw new Error(`the ledger is wrong: ${lines.join('; ')}`);
}

/** Postings that the projections do not have yet. */
async function lagOf(adminPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const found = /^gerbang_ledger_projector_lag_postings\{[^}]*\} (\S+)$/m.exec(text);
  if (found === null) throw new Error('the ledger does not tell its lag');
  return Number(found[1]);
}

/** Ranks by Zipf's law with exponent 1. */
function zipfian(size: number): () => number {
  const cumulative: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= size; rank++) {
    sum += 1 / rank;
    cumulative.push(sum);
  }
  return () => {
    const wanted = Math.random() * sum;
    let [low, high] = [0, size - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

type Bare = { _id: string; sen: number };

/** A ledger as it is often written: one update of the account and one insert of the entry, each durable by itself. */
function measurePlain(collection: Collection<Bare>): Promise<Latencies> {
  return drive(64, (SECONDS * 1_000) / 4, async (n) => {
    const account = `plain-${Math.floor(Math.random() * ACCOUNTS)}`;
    await collection.updateOne({ _id: account }, { $inc: { sen: -1 } }, { upsert: true });
    await collection.insertOne({ _id: `entry-${n}`, sen: 1 });
  });
}
