import { createClock, newUlid } from '@gerbang/core';
import { Registry } from '@gerbang/runtime';
import type { Store } from '@gerbang/store';
import { testLog } from '@gerbang/testkit';
import { describe, expect, it } from 'vitest';
import { type Journal, openJournal } from '../src/journal/journal.ts';
import { createLedgerMetrics } from '../src/metrics.ts';
import { openPartition, type Partition, type PartitionContext } from '../src/partition/partition.ts';
import { type Batch, contentHash, type Entry, type Posting } from '../src/posting/posting.ts';
import { openProjectionStore } from '../src/projector/store.ts';
import { followChain, type Unlinked } from '../src/verify/follow-chain.ts';
import { MERCHANT, useLedgerService } from './harness.ts';
import { CHAIN_RING, patient } from './world.ts';

const service = useLedgerService();
const never = new AbortController().signal;

async function partitionContext(store: Store, journal: Journal): Promise<PartitionContext> {
  return {
    journal,
    projections: await openProjectionStore(store),
    clock: createClock(),
    newId: newUlid,
    metrics: createLedgerMetrics(new Registry()),
    log: testLog('ledger'),
    recentKeysMax: 3,
    projectorLagMax: 100_000,
    chainKeys: CHAIN_RING,
    checkpointEveryMs: 60_000,
    // What comes late here is of a version before the chain.
    acceptedBatches: [{ partition: 'p0', firstSeq: 1n, lastSeq: 9n }],
  };
}

async function mustOpen(context: PartitionContext, epoch: bigint, onFenced = () => {}): Promise<Partition> {
  const partition = await openPartition(context, 'p0', epoch, { signal: never, onFenced });
  if (partition === undefined) throw new Error('a later writer has the partition');
  return partition;
}

function posting(key: string, intent: Posting['intent'], amountSen: bigint): Posting {
  const texts = {
    rail: 'bank-transfer',
    product: '',
    transactionId: '',
    referenceNumber: '',
    description: '',
    destinationAccountId: '',
    side: 'available' as const,
    fromSuspense: false,
    compensation: '' as const,
  };
  return { key, intent, merchantId: MERCHANT, accountId: 'A', amountSen, feeSen: 0n, vendorFeeSen: 0n, ...texts };
}

function credited(key: string, amountSen: bigint): Entry {
  const asked = posting(key, 'credit', amountSen);
  const legs = [
    { account: 'rail:bank-transfer', sen: -amountSen },
    { account: `${MERCHANT}/A:available`, sen: amountSen },
  ];
  return { posting: asked, contentHash: contentHash(asked), legs, result: { availableAfterSen: amountSen } };
}

/** A journal into which another writer's batch slips just before the `nth` append. */
function withIntruder(journal: Journal, nth: number, intruder: Omit<Batch, 'partition' | 'seq'>): Journal {
  let appends = 0;
  return {
    ...journal,
    async append(batch) {
      if (++appends === nth) await journal.append({ ...intruder, partition: batch.partition, seq: batch.seq });
      return journal.append(batch);
    },
  };
}

/** What following the chain of a partition's journal comes across. */
async function followed(journal: Journal, partition: Partition) {
  const differences: string[] = [];
  const unlinked: Unlinked[] = [];
  const chain = followChain(
    partition.chain,
    [],
    (what) => differences.push(what),
    (run) => unlinked.push(run),
  );
  for await (const batch of journal.after('p0', 0n)) chain.take(batch);
  chain.end(partition.standing());
  return { differences, unlinked };
}

describe('a batch of another writer in the place of ours', () => {
  it.each([
    ['the barrier', 1, 1n],
    ['a posting', 2, 2n],
  ])('is taken in when its epoch is lower, and %s goes behind it', async (_, nth, seq) => {
    const store = await service.openDatabase(service.newDatabase());
    const intruder = { epoch: 1n, batchId: 'late', atMs: 0, entries: [credited('late', 70n)] };
    const context = await partitionContext(store, withIntruder(openJournal(store), nth, intruder));
    const partition = await mustOpen(context, 2n);
    // Refused if it were decided on what the writer knew first.
    const { result } = await partition.post(posting('hold', 'hold', 50n), patient);
    expect(result).toEqual({ availableAfterSen: 20n });
    const repeated = await partition.post(posting('late', 'credit', 70n), patient);
    expect(repeated).toMatchObject({ repeated: true, result: { availableAfterSen: 70n } });
    await partition.close();
    // It was of a version before the chain; ours vouch for it.
    expect(await followed(context.journal, partition)).toEqual({ differences: [], unlinked: [{ firstSeq: seq, lastSeq: seq }] });
  });

  it('ends a take-over when its epoch is higher', async () => {
    const store = await service.openDatabase(service.newDatabase());
    const intruder = { epoch: 9n, batchId: 'next', atMs: 0, entries: [] };
    const context = await partitionContext(store, withIntruder(openJournal(store), 1, intruder));
    expect(await openPartition(context, 'p0', 2n, { signal: never, onFenced: () => {} })).toBeUndefined();
  });

  it('ends a take-over that has not begun to load before it, also when its projections are complete', async () => {
    const store = await service.openDatabase(service.newDatabase());
    const context = await partitionContext(store, openJournal(store));
    const next = await mustOpen(context, 2n);
    expect(await openPartition(context, 'p0', 1n, { signal: never, onFenced: () => {} })).toBeUndefined();
    await next.post(posting('k', 'credit', 5n), patient);
    await next.close();
    expect((await context.projections.checkpoint('p0')).seq).toBe(2n);
    expect(await openPartition(context, 'p0', 1n, { signal: never, onFenced: () => {} })).toBeUndefined();
  });

  it('makes a writer step down when its epoch is higher', async () => {
    const store = await service.openDatabase(service.newDatabase());
    const intruder = { epoch: 9n, batchId: 'next', atMs: 0, entries: [] };
    const context = await partitionContext(store, withIntruder(openJournal(store), 2, intruder));
    let fenced = 0;
    const partition = await mustOpen(context, 2n, () => {
      fenced++;
    });
    await expect(partition.post(posting('k', 'credit', 5n), patient)).rejects.toMatchObject({
      refusal: { refused: 'unavailable' },
    });
    await expect(partition.post(posting('k', 'credit', 5n), patient)).rejects.toMatchObject({
      refusal: { refused: 'unavailable' },
    });
    expect(fenced).toBe(1);
    expect(partition.book.snapshot().size).toBe(0);
    await partition.close();
  });
});
