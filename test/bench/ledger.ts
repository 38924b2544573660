import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openLedgerChannel, verifyLedger } from '@gerbang/neighbours';
import { LedgerService, RoutingService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { Health } from '@gerbang/proto/grpc/health/v1/health';
import { openChannel, type RpcChannel, type RpcClient } from '@gerbang/rpc';
import { eventually, freePort } from '@gerbang/testkit';
import { type Collection, MongoClient } from 'mongodb';
import { type OperatorGate, startOperatorGate } from '../support/operator-gate.ts';
import type { Turn } from './harness/benchmark.ts';
import { ACCOUNTS, CALLERS, drive, fund, hold, type Ledger, type Load, uniform, zipfian } from './ledger-load.ts';
import { benchTakeover } from './ledger-takeover.ts';
import { measurePgbench } from './pgbench.ts';
import { cpuMsByProcess } from './process-cpu.ts';

const OWN_ROOT = path.join(import.meta.dirname, '..', '..');
const CHAIN = new URL('./floors/chain-server.ts', import.meta.url);

const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
/** The same for every ledger on a database. */
const CHAIN_KEYS = `k1:${randomBytes(32).toString('base64')}`;
/** So much that no posting is refused for the projections' sake; the default bounds how long a takeover lasts. */
const UNBOUNDED_LAG = '10000000';

/**
 * Durable postings a second through the typed client, from another process than the ledger's, on MongoDB as configured or an
 * embedded one. Accepted: evenly over the accounts, by Zipf's law and all on one of them, with any number of postings waiting for
 * their projection; every key that memory does not have is looked up, since the ledger has been started anew on postings that
 * exist. `young` is the same on a ledger that has all its keys in memory. Sustained: evenly, as the ledger is configured, so that
 * it refuses what it can't project in time. Besides a lone client and what its call is made of, and the peers. `BENCH_SECONDS` is
 * for each load.
 */
export async function benchLedger(): Promise<object> {
  const machine = await startMachine();
  try {
    const young = await machine.withLedger({ LEDGER_PROJECTOR_LAG: UNBOUNDED_LAG }, async (ledger) => {
      await fund(ledger.client);
      const lone = await measureLone(ledger, machine.bare);
      return { lone, uniform: await measureAccepted(ledger, uniform) };
    });
    const accepted = await machine.withLedger({ LEDGER_PROJECTOR_LAG: UNBOUNDED_LAG }, async (ledger) => ({
      uniform: await measureAccepted(ledger, uniform),
      zipf: await measureAccepted(ledger, zipfian(ACCOUNTS)),
      hot: await measureAccepted(ledger, () => 0),
    }));
    const pgbench = await measurePgbench(Math.max(1, Math.round(SECONDS / 3)));
    const { sustained, lone } = await machine.withLedger({}, async (ledger) => {
      const measured = { sustained: await measureSustained(ledger), lone: await measureLone(ledger, machine.bare) };
      await mustBeIntact(ledger, machine.gate);
      return measured;
    });
    const plainMongo = await measurePlain(machine.bare);
    await machine.stop();
    const takeover = await benchTakeover();
    const peer = 'spread' in pgbench ? Math.max(pgbench.spread.perSecond, pgbench.hot.perSecond) : Number.NaN;
    const figures = {
      acceptedToPgbench: ratio(accepted.uniform.perSecond, peer),
      sustainedToPgbench: ratio(sustained.perSecond, peer),
      sustainedBehindMaxSeconds: sustained.behindMaxSeconds,
      hotToUniform: ratio(accepted.hot.perSecond, accepted.uniform.perSecond),
      loneToParts: lone.toParts,
      loneToChain: lone.toChain,
      youngAcceptedToPgbench: ratio(young.uniform.perSecond, peer),
      youngLoneToParts: young.lone.toParts,
      youngLoneToChain: young.lone.toChain,
    };
    return {
      mongodb: process.env.MONGODB_URI === undefined ? 'embedded' : 'as configured',
      secondsEach: SECONDS,
      callers: CALLERS,
      young,
      accepted,
      sustained,
      lone,
      plainMongo,
      takeover,
      pgbench,
      figures,
    };
  } finally {
    await machine.stop();
  }
}

/** How long a turn of postings lasts. */
const TURN_MS = 5_000;

/**
 * Postings evenly over the accounts as fast as they go, with any number waiting for their projection: a turn for comparing the
 * ledgers of two checkouts.
 */
export async function openPostings(resources: AsyncDisposableStack, root: string): Promise<Turn> {
  const machine = await startMachine(root);
  resources.defer(() => machine.stop());
  const [opened, done] = [Promise.withResolvers<RunningLedger>(), Promise.withResolvers<void>()];
  const running = machine.withLedger({ LEDGER_PROJECTOR_LAG: UNBOUNDED_LAG }, async (ledger) => {
    await fund(ledger.client);
    opened.resolve(ledger);
    await done.promise;
  });
  running.catch(opened.reject);
  resources.defer(async () => {
    done.resolve();
    await running;
  });
  const ledger = await opened.promise;
  return {
    durationMs: TURN_MS,
    async measure(durationMs) {
      const { perSecond, p50Ms, p99Ms } = await drive(CALLERS, durationMs, () => hold(ledger.client, uniform()));
      await allProjected(ledger);
      return { perSecond, p50Ms, p99Ms };
    },
  };
}

type Chain = RpcClient<typeof RoutingService>;
type RunningLedger = { client: Ledger; chain: Chain; channel: RpcChannel; adminPort: number; pids: readonly number[] };

/** MongoDB and, for a time, a ledger on it, each in a process of its own. */
async function startMachine(root = OWN_ROOT) {
  const mainOf = (program: string) => pathToFileURL(path.join(root, program, 'src', 'main.ts'));
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-bench-ledger-'));
  const children: ChildProcess[] = [];
  const start = (main: URL, args: readonly string[], env: Record<string, string>) => {
    const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit'];
    const child = spawn(process.execPath, [fileURLToPath(main), ...args], { stdio, env: { ...process.env, ...env } });
    children.push(child);
    return child;
  };
  const gate = await startOperatorGate();
  const port = await freePort();
  const uri = process.env.MONGODB_URI ?? `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const prefix = `bench_${process.pid}_${randomBytes(3).toString('hex')}_`;
  const mongo = new MongoClient(uri, { writeConcern: { w: 'majority', journal: true }, readConcern: { level: 'majority' } });
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await gate.close();
    await mongo.db(`${prefix}ledger`).dropDatabase();
    await mongo.db(`${prefix}bare`).dropDatabase();
    await mongo.close();
    for (const child of children.toReversed()) await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  if (process.env.MONGODB_URI === undefined)
    start(mainOf('packages/embedded-mongo'), ['--data', path.join(folder, 'mongo'), '--port', String(port)], {});
  await eventually('MongoDB answers', async () => (await mongo.connect()) !== undefined, 30_000);
  return {
    gate,
    bare: mongo.db(`${prefix}bare`).collection<Bare>('bare'),
    async withLedger<T>(env: Record<string, string>, use: (ledger: RunningLedger) => Promise<T>): Promise<T> {
      const [rpcPort, adminPort] = [await freePort(), await freePort()];
      const ports = { RPC_PORT: String(rpcPort), ADMIN_PORT: String(adminPort) };
      const named = { GERBANG_ENV: 'sandbox', LEDGER_INSTANCE: 'bench' };
      const common = { ...named, MONGODB_URI: uri, MONGODB_DB_PREFIX: prefix, CHAIN_KEYS, MERCHANT_RPC: gate.address };
      const child = start(mainOf('services/ledger'), [], { ...common, ...ports, ...env });
      const chainPort = await freePort();
      const chain = start(CHAIN, [], { RPC_PORT: String(chainPort), MONGODB_URI: uri, MONGODB_DB_PREFIX: prefix });
      const chainChannel = openChannel({ address: `127.0.0.1:${chainPort}`, tls: undefined, timeoutMs: 30_000 });
      const channel = openLedgerChannel({ addresses: [`127.0.0.1:${rpcPort}`], tls: undefined, timeoutMs: 30_000 });
      try {
        const ready = async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).ok;
        await eventually('the ledger is ready', ready, 60_000);
        const subjects = children.filter((process) => process !== chain && process.exitCode === null);
        const pids = subjects.flatMap(({ pid }) => pid ?? []);
        return await use({
          client: channel.client(LedgerService),
          chain: chainChannel.client(RoutingService),
          channel,
          adminPort,
          pids,
        });
      } finally {
        await channel.close();
        await chainChannel.close();
        await end(chain);
        await end(child);
      }
    },
    stop,
  };
}

/** As fast as it goes; `projectedMs` is how long the projections took afterwards. */
async function measureAccepted(ledger: RunningLedger, account: () => number) {
  const load = await driveCounting(ledger, account);
  const behindPostings = await metric(ledger, LAG_POSTINGS);
  return { ...load, behindPostings, projectedMs: await allProjected(ledger) };
}

/** What is accepted and projected while the projections keep up; `behindMaxSeconds` is the most that they were behind. */
async function measureSustained(ledger: RunningLedger) {
  let behindMaxSeconds = 0;
  // Until the projections are as far behind as they come to be under this load, some postings would be accepted on credit.
  await drive(CALLERS, (SECONDS * 1_000) / 4, () => hold(ledger.client, uniform()));
  const behindBefore = await metric(ledger, LAG_POSTINGS);
  const watch = setInterval(() => {
    void metric(ledger, LAG_SECONDS).then((seconds) => {
      behindMaxSeconds = Math.max(behindMaxSeconds, seconds);
    });
  }, 500);
  const load = await driveCounting(ledger, uniform);
  clearInterval(watch);
  const grownBy = (await metric(ledger, LAG_POSTINGS)) - behindBefore;
  const perSecond = Math.round(load.perSecond - Math.max(0, grownBy) / SECONDS);
  return { ...load, perSecond, acceptedPerSecond: load.perSecond, behindMaxSeconds, projectedMs: await allProjected(ledger) };
}

/** The load, with what it cost each process and how large the batches were. */
async function driveCounting(ledger: RunningLedger, account: () => number) {
  const cpuBefore = cpuMsByProcess(ledger.pids);
  const clientBefore = process.cpuUsage();
  const batchesBefore = await metric(ledger, BATCHES);
  const load = await drive(CALLERS, SECONDS * 1_000, () => hold(ledger.client, account()));
  const postings = load.perSecond * SECONDS;
  const client = process.cpuUsage(clientBefore);
  const cpuMicrosPerPosting: Record<string, number> = { client: Math.round((client.user + client.system) / postings) };
  for (const [name, ms] of cpuMsByProcess(ledger.pids))
    cpuMicrosPerPosting[name] = Math.round(((ms - (cpuBefore.get(name) ?? 0)) * 1_000) / postings);
  const postingsPerBatch = Math.round(postings / ((await metric(ledger, BATCHES)) - batchesBefore));
  return { ...load, postingsPerBatch, cpuMicrosPerPosting };
}

/**
 * One posting at a time, beside the three things that it can't do without: each alone, and one after the other in one bare
 * process in between (`chain`).
 */
async function measureLone({ client, chain, channel }: RunningLedger, bare: Collection<Bare>) {
  const ms = (SECONDS * 1_000) / 8;
  const health = channel.client(Health);
  const run = Date.now();
  const rounds: Record<'post' | 'chain' | 'insert' | 'findOne' | 'call', Load>[] = [];
  // By turns, so that what else the machine does falls upon all of them.
  for (let turn = 0; turn < 3; turn++) {
    rounds.push({
      post: await drive(1, ms, (n) => hold(client, n % ACCOUNTS)),
      chain: await drive(1, ms / 2, () => chain.listPartitions({})),
      insert: await drive(1, ms / 2, (n) => bare.insertOne({ _id: `${run}-${turn}-${n}`, sen: 1 })),
      findOne: await drive(1, ms / 2, (n) => bare.findOne({ _id: `${run}-${turn}-${n}` })),
      call: await drive(1, ms / 2, () => health.check({})),
    });
  }
  const p50Ms = (of: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[of].p50Ms));
  const parts = { insert: p50Ms('insert'), findOne: p50Ms('findOne'), call: p50Ms('call') };
  const partsP50Ms = Number((parts.insert + parts.findOne + parts.call).toFixed(2));
  const p99Ms = median(rounds.map(({ post }) => post.p99Ms));
  const chainP50Ms = p50Ms('chain');
  const post = p50Ms('post');
  return {
    p50Ms: post,
    p99Ms,
    parts,
    partsP50Ms,
    chainP50Ms,
    toParts: ratio(post, partsP50Ms),
    toChain: ratio(post, chainP50Ms),
  };
}

const ratio = (a: number, b: number) => Number((a / b).toFixed(2));
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function mustBeIntact({ channel }: RunningLedger, gate: OperatorGate): Promise<void> {
  const lines: string[] = [];
  const clients = gate.clientsOf(channel);
  const { differences, sumSen } = await verifyLedger(clients, { difference: (line) => lines.length < 5 && lines.push(line) });
  if (differences > 0 || sumSen !== 0n) throw new Error(`the ledger is wrong: ${lines.join('; ')}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

const LAG_POSTINGS = 'gerbang_ledger_projector_lag_postings';
const BATCHES = 'gerbang_ledger_batch_postings_count';
const LAG_SECONDS = 'gerbang_ledger_projector_lag_seconds';

/** The sum over all labels of what the ledger reports about itself. */
async function metric({ adminPort }: RunningLedger, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map((match) => Number(match[1]));
  if (values.length === 0) throw new Error(`the ledger does not tell ${name}`);
  return values.reduce((a, b) => a + b);
}

/** How long it takes until nothing waits to be projected, ms. */
async function allProjected(ledger: RunningLedger): Promise<number> {
  const startMs = performance.now();
  await eventually('all is projected', async () => (await metric(ledger, LAG_POSTINGS)) === 0, 600_000);
  return Math.round(performance.now() - startMs);
}

type Bare = { _id: string; sen: number };

/** A ledger as it is often written: one update of the account and one insert of the entry, each durable by itself. */
function measurePlain(collection: Collection<Bare>): Promise<Load> {
  return drive(64, (SECONDS * 1_000) / 4, async (n) => {
    const account = `plain-${uniform()}`;
    await collection.updateOne({ _id: account }, { $inc: { sen: -1 } }, { upsert: true });
    await collection.insertOne({ _id: `entry-${n}`, sen: 1 });
  });
}
