import { setTimeout as sleep } from 'node:timers/promises';
import { createClock, newUlid, RefusalError } from '@gerbang/core';
import type { Cancellation } from '@gerbang/rpc';
import { Registry } from '@gerbang/runtime';
import type { Store } from '@gerbang/store';
import { testLog } from '@gerbang/testkit';
import { expect } from 'vitest';
import { openJournal } from '../src/journal/journal.ts';
import { createLedgerMetrics } from '../src/metrics.ts';
import { openPartition, type Partition } from '../src/partition/partition.ts';
import type { Posting } from '../src/posting/posting.ts';
import { openProjectionStore } from '../src/projector/store.ts';
import { openStatementStore } from '../src/statement/store.ts';
import { verifyPartition } from '../src/verify/verify-partition.ts';
import { type Gate, gatedStore } from './gated-store.ts';
import { Model, said } from './model.ts';

/**
 * What may happen at one command of a writer to the database: it is not carried out, or it is but its answer is lost; another
 * writer takes the partition over before or after it; the writer ends there and is never heard of again; or it takes longer than
 * what comes after it.
 */
export const FAULTS = ['cut', 'lost', 'take over before', 'take over after', 'crash', 'slow'] as const;
export type Fault = (typeof FAULTS)[number];

type Writer = { partition: Partition; crashed: Promise<void> };

/** Keys of the journal's chain. */
export const CHAIN_RING = { currentKid: 'k1', keys: new Map([['k1', Buffer.alloc(32, 'c')]]) };

let worlds = 0;
const never = new AbortController().signal;
/** A caller that waits for its answer as long as it takes. */
export const patient: Cancellation = { aborted: false, onAbort() {} };
/** A takeover meets faults, too; they are used up. */
const TAKE_OVERS_MAX = 100;

/** One partition with all the writers that it has ever had, each of which believes that it owns it until it is shut out. */
export class World {
  readonly #store: Store;
  readonly #name = `p${worlds++}`;
  readonly #writers: Writer[] = [];
  readonly #given: { posting: Posting; answer: string }[] = [];
  readonly #pending = new Set<Promise<void>>();
  /** By how many commands from now they happen. */
  readonly #faults = new Map<number, Fault>();
  #succession: Promise<void> | undefined;
  #commands = 0;
  #epoch = 0n;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Commands that writers have given so far. */
  get commands(): number {
    return this.#commands;
  }

  /** Lets a fault happen at the nth command from now, the next one being 1. */
  arm(nth: number, fault: Fault): void {
    this.#faults.set(this.#commands + nth, fault);
  }

  /** Another writer claims the partition and opens it; those before it do not know. */
  async takeOver(): Promise<void> {
    for (let attempt = 0; attempt < TAKE_OVERS_MAX; attempt++) {
      const epoch = ++this.#epoch;
      const crashed = Promise.withResolvers<void>();
      const opening = this.#open(epoch, crashed).catch((error: unknown) => {
        if (error instanceof Injected) return undefined;
        throw error;
      });
      const partition = await Promise.race([opening, crashed.promise]);
      if (partition === undefined) continue;
      this.#writers.push({ partition, crashed: crashed.promise });
      return;
    }
    throw new Error('no writer could take the partition over');
  }

  /** Asks one of the writers, the newest by default; its answer is noted whenever it comes. */
  send(posting: Posting, back = 0): void {
    const writer = this.#writers.at(-1 - (back % this.#writers.length));
    if (writer === undefined) throw new Error('there is no writer yet');
    const work = this.#ask(writer, posting).then(() => void this.#pending.delete(work));
    this.#pending.add(work);
  }

  /** Until every request has its answer, or its writer has crashed. */
  async quiet(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** As a client does: the same key to the newest writer, until there is an answer. */
  async insist(posting: Posting): Promise<string> {
    for (let attempt = 0; attempt < TAKE_OVERS_MAX; attempt++) {
      const writer = this.#writers.at(-1);
      const answer = writer === undefined ? undefined : await this.#ask(writer, posting);
      if (answer !== undefined) return answer;
      // One successor is enough for all who wait.
      if (writer === this.#writers.at(-1)) this.#succession ??= this.takeOver().finally(() => (this.#succession = undefined));
      await this.#succession;
    }
    throw new Error(`posting ${posting.key} has no answer`);
  }

  /**
   * One history: seq without a gap, epochs that never fall, every key once, every result as the model says in that order. Every
   * answer that any writer gave is the one in the journal and is given again. Memory, projections and house accounts are what the
   * model has.
   */
  async check(): Promise<void> {
    await this.quiet();
    this.#faults.clear();
    await this.takeOver();
    const last = this.#writers.at(-1)?.partition;
    if (last === undefined) throw new Error('there is no writer');
    const model = new Model();
    const keys = new Set<string>();
    let [seq, epoch] = [0n, 0n];
    for await (const batch of openJournal(this.#store).after(this.#name, 0n)) {
      expect(batch.seq).toBe(++seq);
      expect(batch.epoch).toBeGreaterThanOrEqual(epoch);
      epoch = batch.epoch;
      for (const { posting, result } of batch.entries) {
        expect(keys).not.toContain(posting.key);
        keys.add(posting.key);
        expect(said(result)).toBe(model.post(posting));
      }
    }
    for (const { posting, answer } of [...this.#given]) {
      expect(keys).toContain(posting.key);
      expect(answer).toBe(model.post(posting));
      expect(await this.insist(posting)).toBe(answer);
    }
    expect(model.sum()).toBe(0n);
    for (const [name, balances] of model.accounts) {
      const [merchantId = '', accountId = ''] = name.split('/');
      expect(last.book.balancesOf(merchantId, accountId)).toEqual(balances);
    }
    const house = ['rail:bank-transfer', 'fee-income', 'vendor-fees', 'suspense:bank-transfer'].map((one) =>
      last.book.balanceOf(one),
    );
    expect(house).toEqual([model.house.rail, model.house.fees, model.house.vendors, model.house.suspense]);
    await last.projected(last.lastSeq(), never);
    await this.#expectIntact(last);
    for (const { partition } of this.#writers) partition.stepDown();
  }

  async #expectIntact(partition: Partition): Promise<void> {
    const context = { journal: openJournal(this.#store), projections: await openProjectionStore(this.#store) };
    // Its index serves the verification, too.
    await openStatementStore(this.#store);
    const differences: string[] = [];
    for await (const finding of verifyPartition(context, partition)) {
      if (finding !== undefined && 'difference' in finding) differences.push(finding.difference);
      if (finding !== undefined && 'unlinked' in finding) differences.push(`no link from ${finding.unlinked.firstSeq}`);
    }
    expect(differences).toEqual([]);
  }

  async #open(epoch: bigint, crashed: PromiseWithResolvers<void>): Promise<Partition | undefined> {
    const store = gatedStore(this.#store, this.#gateOf(crashed));
    const context = {
      journal: openJournal(store),
      projections: await openProjectionStore(store),
      clock: createClock(),
      newId: newUlid,
      metrics: createLedgerMetrics(new Registry()),
      log: testLog('ledger'),
      recentKeysMax: 3,
      projectorLagMax: 100_000,
      chainKeys: CHAIN_RING,
      checkpointEveryMs: 60_000,
      acceptedBatches: [],
    };
    return openPartition(context, this.#name, epoch, { signal: never, onFenced: () => {} });
  }

  #gateOf(crashed: PromiseWithResolvers<void>): Gate {
    let isCrashed = false;
    return async (what, command) => {
      const number = ++this.#commands;
      const fault = this.#faults.get(number);
      this.#faults.delete(number);
      if (fault === 'crash') {
        isCrashed = true;
        crashed.resolve();
      }
      if (isCrashed) return new Promise<never>(() => {});
      if (fault === 'cut') throw new Injected(`the connection broke before ${what}`);
      if (fault === 'slow') await sleep(5);
      if (fault === 'take over before') await this.takeOver();
      const done = await command();
      if (isCrashed) return new Promise<never>(() => {});
      if (fault === 'lost') throw new Injected(`the connection broke after ${what}`);
      if (fault === 'take over after') await this.takeOver();
      return done;
    };
  }

  /** The answer in the model's words; undefined when the writer has none. */
  async #ask({ partition, crashed }: Writer, posting: Posting): Promise<string | undefined> {
    const answering = partition.post(posting, patient).then(({ result }) => said(result), answerOf);
    const answer = (await Promise.race([answering, crashed])) ?? undefined;
    if (answer !== undefined) this.#given.push({ posting, answer });
    return answer;
  }
}

class Injected extends Error {}

function answerOf(error: unknown): string | undefined {
  if (!(error instanceof RefusalError)) throw error;
  if (error.refusal.refused === 'posting_key_conflict') return 'conflict';
  if (error.refusal.refused === 'unavailable') return undefined;
  throw error;
}
