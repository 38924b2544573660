import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLedgerChannel } from '@gerbang/neighbours';
import { Intent, LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { RpcChannel } from '@gerbang/rpc';
import { eventually, freePort } from '@gerbang/testkit';
import { MongoClient } from 'mongodb';
import { type LedgerProcess, startLedgerProcess } from '../support/ledger-process.ts';

/** Postings that the partition has when it is taken over. */
const POSTINGS = Number(process.env.BENCH_POSTINGS ?? 1_000_000);
const ACCOUNTS = 10_000;
const CALLERS = 512;
const LEASE_MS = 1_000;
/** Full load before the owner is killed. */
const LOAD_MS = 12_000;
/** What the successor must read again at least, as the checkpoint has it just before its next step. */
const TAIL_SECONDS = 4.5;

type Batch = { _id: string; seq: bigint; at: Date };

/**
 * A partition with a million postings is taken over at full load, its owner killed: how long no request is answered beyond the
 * lease, what the successor had to read again, and what the ledger's memory was while the history grew over the same accounts.
 */
export async function benchTakeover(): Promise<object> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-bench-takeover-'));
  const port = await freePort();
  const main = fileURLToPath(new URL('../../packages/embedded-mongo/src/main.ts', import.meta.url));
  const database = spawn(process.execPath, [main, '--data', path.join(folder, 'mongo'), '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const mongoUri = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const mongo = new MongoClient(mongoUri, { useBigInt64: true });
  const instances: LedgerProcess[] = [];
  let channel: RpcChannel | undefined;
  try {
    await eventually('MongoDB answers', async () => (await mongo.connect()) !== undefined, 30_000);
    // No operator asks anything here.
    const common = { mongoUri, databasePrefix: 'bench_', leaseMs: LEASE_MS, merchantRpc: '127.0.0.1:1' };
    const start = (instance: string) => startLedgerProcess({ instance, ...common });
    const first = await start('first');
    instances.push(first);
    channel = openLedgerChannel({ addresses: [first.address], tls: undefined, timeoutMs: 60_000 });
    const load = new Load(channel);
    const rssMiB: Record<string, number> = {};
    for (const share of [0.1, 0.25, 0.5, 0.75, 1]) {
      await load.postUntil(Math.round(POSTINGS * share));
      rssMiB[`${Math.round(POSTINGS * share)} postings`] = residentMiB(first.pid);
    }
    const second = await start('second');
    instances.push(second);
    const goingOn = load.postUntil(Number.POSITIVE_INFINITY);
    goingOn.catch(() => {});
    await sleep(LOAD_MS);
    const perSecond = Math.round(load.answeredWithin(LOAD_MS / 2) / (LOAD_MS / 2_000));
    const tail = await eventually(
      `the checkpoint is ${TAIL_SECONDS} s behind`,
      async () => {
        const found = await tailOf(mongo);
        return found.seconds >= TAIL_SECONDS && found;
      },
      60_000,
    );
    const killedMs = performance.now();
    await first.end('SIGKILL');
    const lastMs = load.lastAnswerMs;
    await eventually('the successor answers', () => load.lastAnswerMs > Math.max(killedMs, lastMs) + 10, 60_000);
    const silentMs = Math.round(load.longestGapMs);
    load.stop();
    await goingOn;
    const takeoverMs = Math.max(0, silentMs - LEASE_MS);
    return {
      postings: POSTINGS,
      accounts: ACCOUNTS,
      acceptedPerSecond: perSecond,
      tail,
      leaseMs: LEASE_MS,
      silentMs,
      takeoverMs,
      ledgerRssMiB: { ...rssMiB, successor: residentMiB(second.pid) },
    };
  } finally {
    await channel?.close();
    await Promise.all(instances.map((one) => one.end()));
    await mongo.close();
    const ended = once(database, 'exit');
    database.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Holds of one sen by many callers, spread over the accounts; a call that is refused ends it. */
class Load {
  lastAnswerMs = performance.now();
  /** Between two answers of any callers. */
  longestGapMs = 0;
  readonly #channel: RpcChannel;
  #sent = 0;
  #stopped = false;
  #recent: number[] = [];

  constructor(channel: RpcChannel) {
    this.#channel = channel;
  }

  stop(): void {
    this.#stopped = true;
  }

  answeredWithin(ms: number): number {
    const sinceMs = performance.now() - ms;
    return this.#recent.filter((at) => at >= sinceMs).length;
  }

  /** Until so many have been posted in all; the first ones give every account its money. */
  async postUntil(total: number): Promise<void> {
    this.#stopped = false;
    this.longestGapMs = 0;
    this.#recent = [];
    this.lastAnswerMs = performance.now();
    await Promise.all(Array.from({ length: CALLERS }, () => this.#call(total)));
  }

  async #call(total: number): Promise<void> {
    const ledger = this.#channel.client(LedgerService);
    while (!this.#stopped && this.#sent < total) {
      const n = this.#sent++;
      await ledger.post({
        merchantId: `merchant-${n % 1_000}`,
        partition: 'p0',
        postingKey: `bench-${n}`,
        intent: n < ACCOUNTS ? Intent.CREDIT : Intent.HOLD,
        accountId: `account-${n % ACCOUNTS}`,
        amountSen: n < ACCOUNTS ? 10n ** 12n : 1n,
        rail: 'bank-transfer',
        product: 'disbursement',
        transactionId: `transaction-${n}`,
        referenceNumber: `reference-${n}`,
        description: 'Bench',
      });
      const nowMs = performance.now();
      this.longestGapMs = Math.max(this.longestGapMs, nowMs - this.lastAnswerMs);
      this.lastAnswerMs = nowMs;
      if (total === Number.POSITIVE_INFINITY) this.#recent.push(nowMs);
    }
  }
}

/** How far the checkpoint is behind the journal. */
async function tailOf(mongo: MongoClient): Promise<{ batches: number; seconds: number }> {
  const db = mongo.db('bench_ledger');
  const [last] = await db.collection<Batch>('journal').find({}).sort({ _id: -1 }).limit(1).toArray();
  const checkpoint = await db.collection<Batch>('checkpoints').findOne({ _id: 'p0' });
  if (last === undefined || checkpoint === null) throw new Error('nothing is projected yet');
  return {
    batches: Number(last.seq - checkpoint.seq),
    seconds: Number(((last.at.getTime() - checkpoint.at.getTime()) / 1_000).toFixed(1)),
  };
}

/** Memory that a process has resident; Linux alone tells it. */
export function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib ?? 0) / 1_024);
}
