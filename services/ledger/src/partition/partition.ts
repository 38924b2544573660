import { type Clock, type KeyedChain, type KeyRing, type NewId, RefusalError, refuse } from '@gerbang/core';
import type { Cancellation } from '@gerbang/rpc';
import { type Logger, within } from '@gerbang/runtime';
import { contentOf, journalChain } from '../journal/chain.ts';
import { type Standing, startCheckpoints } from '../journal/checkpoints.ts';
import { commit } from '../journal/commit.ts';
import type { Journal } from '../journal/journal.ts';
import type { Metrics } from '../metrics.ts';
import type { Book } from '../posting/book.ts';
import { decideBatch, type Outcome } from '../posting/decide-batch.ts';
import type { Batch, Entry, Intent, Posting } from '../posting/posting.ts';
import { createBacklog } from '../projector/backlog.ts';
import { type Projector, startProjector } from '../projector/projector.ts';
import type { ProjectionStore } from '../projector/store.ts';
import { createKnownKeys, type LookedUp } from './known-keys.ts';
import { loadPartition } from './load.ts';
import { type AcceptedBatches, startProof, UnprovenError } from './proof.ts';
import { type Posted, Writer } from './writer.ts';

/** For each of the two things that closing waits for; with the database away neither ends by itself. */
const DRAIN_MS = 3_000;

/**
 * A batch of so many postings shows that the journal has much to do; then the projections wait, so that a burst is taken in at
 * the journal's speed.
 */
const PRESSING_POSTINGS = 100;
/** So long after such a batch; the callers that it has answered come back within that. */
const PRESSING_MS = 1_000;
/** Up to this share of the lag at which postings are refused. */
const YIELD_SHARE = 0.4;

/** What a partition works with. */
export type PartitionContext = {
  journal: Journal;
  projections: ProjectionStore;
  clock: Clock;
  newId: NewId;
  metrics: Metrics;
  log: Logger;
  /** Keys kept in memory beyond those that the projections do not have. */
  recentKeysMax: number;
  /** Unprojected postings at which new ones are refused, rather than memory filled. */
  projectorLagMax: number;
  /** Chain the journal. */
  chainKeys: KeyRing;
  /** How often a journal that grows gets a signed line in the log. */
  checkpointEveryMs: number;
  /** Served although the chain does not prove them. */
  acceptedBatches: readonly AcceptedBatches[];
};

/** One partition in the hands of this process, its only writer until a later epoch shows up in the journal. */
export type Partition = {
  name: string;
  epoch: bigint;
  /** Balances and keys, as far as they are durable. */
  book: Book;
  /** The last durable batch that `book` has. */
  lastSeq(): bigint;
  /** That batch, and where the journal's chain stands after it. */
  standing(): Standing;
  chain: KeyedChain;
  /** The last batch that the projections have. */
  projectedSeq(): bigint;
  /** Waits until the projections have the batch. Refusals: unavailable. */
  projected(seq: bigint, signal: AbortSignal): Promise<void>;
  /** See Writer.submit; besides, unavailable when the projections lag too far behind. */
  post(posting: Posting, call: Cancellation): Promise<Posted>;
  /** Gives the partition up at once: waiting postings are refused as unavailable, one on its way is seen through. */
  stepDown(): void;
  /** Answers what waits, takes no more, and leaves what is not projected to the next instance that loads the partition. */
  putDown(): Promise<void>;
  /** Finishes what waits, within a bound, and stops. */
  close(): Promise<void>;
};

/**
 * Takes a partition over under a freshly claimed epoch: loads it, commits the barrier that shuts out earlier writers, and only
 * then is it there. `onFenced` is called when a later writer's batch is found, or one that no ledger wrote. Undefined when a later
 * writer's is there already. Throws UnprovenError when the journal is not what ledgers wrote.
 */
export async function openPartition(
  context: PartitionContext,
  name: string,
  epoch: bigint,
  options: { signal: AbortSignal; onFenced: () => void },
): Promise<Partition | undefined> {
  const { journal, projections, clock, newId, metrics, log } = context;
  const chain = journalChain(context.chainKeys, name);
  const proving = { partition: name, chain, accepted: context.acceptedBatches, metrics, log };
  const loaded = await loadPartition(journal, projections, name, (from) => startProof({ ...proving, from }));
  // A later writer came while this one had not begun to load; without this it would write behind that one's barrier.
  if (loaded.lastEpoch > epoch) return undefined;
  const { book, proof } = loaded;
  let { lastSeq, lastAtMs } = loaded;
  let lastMac = proof.mac();
  let pressedMs = Number.NEGATIVE_INFINITY;

  const backlog = createBacklog(journal, name, loaded.unprojected);
  const reportLag = () => {
    const nowMs = clock.now();
    metrics.projectorLag(name, backlog.size(), nowMs - (backlog.oldestAtMs() ?? nowMs));
    metrics.owed(name, book.owedSen());
  };
  const takeIn = (batch: Batch, projector: Projector) => {
    const after = book.apply(batch);
    lastSeq = batch.seq;
    lastMac = proof.mac();
    if (batch.entries.length >= PRESSING_POSTINGS) pressedMs = performance.now();
    lastAtMs = Math.max(lastAtMs, batch.atMs);
    projector.add({ batch, after }, () => book.snapshot());
    reportLag();
  };
  /** One insertion: the batch is in the book afterwards, or an earlier writer's is (undefined: decide again), or `fenced`. */
  const append = async (entries: readonly Entry[], projector: Projector, signal: AbortSignal) => {
    const atMs = Math.max(clock.now(), lastAtMs);
    const said: Batch = { partition: name, seq: lastSeq + 1n, epoch, batchId: newId(atMs), atMs, entries };
    const startedAtMs = performance.now();
    // Once: what is inserted again after a lost answer is the identical document.
    const batch: Batch = { ...said, link: chain.link(lastMac, contentOf(said)) };
    const committed = await commit(journal, batch, { signal, log });
    switch (committed.outcome) {
      case 'written':
        proof.takeOwn(batch);
        takeIn(batch, projector);
        metrics.batchCommitted(entries.length, performance.now() - startedAtMs);
        return batch;
      case 'overtaken':
        log.info({ partition: name, seq: String(batch.seq) }, 'taking in the batch of an earlier writer');
        // Who can write into the database can put a batch there, too.
        proof.take(committed.by);
        proof.confirm();
        takeIn(committed.by, projector);
        return undefined;
      case 'fenced':
        log.warn({ partition: name, epoch: String(epoch), by: String(committed.by.epoch) }, 'a later writer has the partition');
        return 'fenced' as const;
      default:
        return committed satisfies never;
    }
  };
  const keys = createKnownKeys(
    book,
    () => lastSeq,
    (older) => projections.keys(name, older),
  );
  const balanceOf = (account: string) => book.balanceOf(account);
  const giveUp = () => {
    writer.stop();
    options.onFenced();
  };
  const commitPostings = async (postings: readonly Posting[], lookedUp: readonly LookedUp[], signal: AbortSignal) => {
    for (;;) {
      const { outcomes, entries } = decideBatch(balanceOf, await keys.answersOf(postings, lookedUp), postings);
      if (entries.length === 0) return { outcomes, atMs: lastAtMs };
      const batch = await append(entries, projector, signal).catch((error: unknown) => {
        if (error instanceof UnprovenError) giveUp();
        throw error;
      });
      if (batch === 'fenced') {
        giveUp();
        return undefined;
      }
      if (batch === undefined) continue;
      report(outcomes);
      return { outcomes, atMs: batch.atMs };
    }
  };
  const report = (outcomes: readonly Outcome[]) => {
    const counts = new Map<Intent, Map<string, number>>();
    for (const outcome of outcomes) {
      if (outcome.kind !== 'new') continue;
      const { posting, result } = outcome.entry;
      const became = 'refused' in result ? result.refused : 'done';
      const ofIntent = counts.get(posting.intent) ?? new Map<string, number>();
      counts.set(posting.intent, ofIntent.set(became, (ofIntent.get(became) ?? 0) + 1));
    }
    for (const [intent, results] of counts) for (const [result, count] of results) metrics.posted(intent, result, count);
  };
  const writer = new Writer(keys.lookUp, commitPostings, log);

  const projector = startProjector({
    store: projections,
    backlog,
    shouldYield: () => performance.now() - pressedMs < PRESSING_MS && projector.lag() < context.projectorLagMax * YIELD_SHARE,
    projectedSeq: loaded.projectedSeq,
    onProjected(seq) {
      book.forgetKeys(seq, context.recentKeysMax);
      reportLag();
    },
    log,
  });
  for (;;) {
    const barrier = await append([], projector, options.signal).catch(async (error: unknown) => {
      await projector.stop();
      throw error;
    });
    if (barrier === 'fenced') {
      await projector.stop();
      return undefined;
    }
    if (barrier !== undefined) break;
  }
  log.info({ partition: name, epoch: String(epoch), seq: String(lastSeq) }, 'the partition is open');
  const standing = () => ({ seq: lastSeq, mac: lastMac });
  const checkpoints = startCheckpoints({ partition: name, chain, standing, everyMs: context.checkpointEveryMs, clock, log });

  const stop = async () => {
    checkpoints.close();
    await projector.stop();
    metrics.partitionLeft(name);
  };
  return {
    name,
    epoch,
    book,
    lastSeq: () => lastSeq,
    standing,
    chain,
    projectedSeq: projector.projectedSeq,
    projected: projector.reached,
    post(posting, call) {
      if (projector.lag() >= context.projectorLagMax) {
        return Promise.reject(new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 })));
      }
      return writer.submit(posting, call);
    },
    stepDown() {
      writer.stop();
      void writer.drain().then(stop);
    },
    async putDown() {
      await writer.drain();
      void stop();
    },
    async close() {
      await within(DRAIN_MS, writer.drain()).catch(() => writer.abandon());
      // The next instance that loads the partition projects the rest.
      await within(DRAIN_MS, projector.settled()).catch(() => log.info({ partition: name }, 'closing before all is projected'));
      await within(DRAIN_MS, stop()).catch(() => log.info({ partition: name }, 'closing while projections are written'));
    },
  };
}
