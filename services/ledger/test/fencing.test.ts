import { createClock, newUlid, RefusalError } from '@gerbang/core';
import { Registry } from '@gerbang/runtime';
import type { Store } from '@gerbang/store';
import { testLog } from '@gerbang/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Journal, openJournal } from '../src/journal/journal.ts';
import { createLedgerMetrics } from '../src/metrics.ts';
import { openPartition, type Partition, type PartitionContext } from '../src/partition/partition.ts';
import { type Batch, contentHash, type Entry, type Posting } from '../src/posting/posting.ts';
import { openProjectionStore } from '../src/projector/store.ts';
import { MERCHANT, useLedgerService } from './harness.ts';
import { Model, postings, said } from './model.ts';

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
  return { key, intent, merchantId: MERCHANT, accountId: 'A', amountSen, feeSen: 0n, ...texts };
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

describe('a batch of another writer in the place of ours', () => {
  it.each([
    ['the barrier', 1],
    ['a posting', 2],
  ])('is taken in when its epoch is lower, and %s goes behind it', async (_, nth) => {
    const store = await service.openDatabase(service.newDatabase());
    const intruder = { epoch: 1n, batchId: 'late', atMs: 0, entries: [credited('late', 70n)] };
    const context = await partitionContext(store, withIntruder(openJournal(store), nth, intruder));
    const partition = await mustOpen(context, 2n);
    // Refused if it were decided on what the writer knew first.
    const { result } = await partition.post(posting('hold', 'hold', 50n), never);
    expect(result).toEqual({ availableAfterSen: 20n });
    const repeated = await partition.post(posting('late', 'credit', 70n), never);
    expect(repeated).toMatchObject({ repeated: true, result: { availableAfterSen: 70n } });
    await partition.close();
  });

  it('ends a take-over when its epoch is higher', async () => {
    const store = await service.openDatabase(service.newDatabase());
    const intruder = { epoch: 9n, batchId: 'next', atMs: 0, entries: [] };
    const context = await partitionContext(store, withIntruder(openJournal(store), 1, intruder));
    expect(await openPartition(context, 'p0', 2n, { signal: never, onFenced: () => {} })).toBeUndefined();
  });

  it('makes a writer step down when its epoch is higher', async () => {
    const store = await service.openDatabase(service.newDatabase());
    const intruder = { epoch: 9n, batchId: 'next', atMs: 0, entries: [] };
    const context = await partitionContext(store, withIntruder(openJournal(store), 2, intruder));
    let fenced = 0;
    const partition = await mustOpen(context, 2n, () => {
      fenced++;
    });
    await expect(partition.post(posting('k', 'credit', 5n), never)).rejects.toMatchObject({
      refusal: { refused: 'unavailable' },
    });
    await expect(partition.post(posting('k', 'credit', 5n), never)).rejects.toMatchObject({
      refusal: { refused: 'unavailable' },
    });
    expect(fenced).toBe(1);
    expect(partition.book.snapshot().size).toBe(0);
    await partition.close();
  });
});

type Fault = 'none' | 'not written' | 'written unheard' | 'slow';

/** A journal that fails in the given ways, in turn, each once. */
function faulty(journal: Journal, faults: Fault[]): Journal {
  return {
    ...journal,
    async append(batch) {
      const fault = faults.shift() ?? 'none';
      if (fault === 'not written') throw new Error('connection lost before');
      if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, 5));
      await journal.append(batch);
      if (fault === 'written unheard') throw new Error('connection lost after');
    },
  };
}

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('post' as const), posting: postings, writer: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'take over' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'wait' as const }) },
  ),
  { minLength: 5, maxLength: 60 },
);
const faults = fc.array(fc.constantFrom<Fault>('none', 'none', 'not written', 'written unheard', 'slow'), { maxLength: 20 });

describe('several writers that all believe they own the partition', () => {
  it('write one history, in which every key has one answer and every answer that was given is true', async () => {
    await fc.assert(
      fc.asyncProperty(steps, faults, async (script, failures) => {
        const store = await service.openDatabase(service.newDatabase());
        const journal = openJournal(store);
        const model = new Model();
        const context = await partitionContext(store, faulty(journal, [...failures]));
        const writers = [await mustOpen(context, 1n)];
        const given: { posting: Posting; answer: string }[] = [];
        let pending: Promise<void>[] = [];
        for (const step of script) {
          if (step.kind === 'take over') writers.push(await mustOpen(context, BigInt(writers.length + 1)));
          if (step.kind === 'wait') await Promise.all(pending.splice(0));
          if (step.kind !== 'post') continue;
          const writer = writers.at(-1 - (step.writer % writers.length));
          pending.push(
            ask(writer, step.posting).then(
              (answer) => void (answer !== undefined && given.push({ posting: step.posting, answer })),
            ),
          );
        }
        await Promise.all(pending);
        pending = [];

        const last = await mustOpen(context, BigInt(writers.length + 1));
        let [seq, epoch] = [0n, 0n];
        const keys = new Set<string>();
        for await (const batch of journal.after('p0', 0n)) {
          expect(batch.seq).toBe(++seq);
          expect(batch.epoch).toBeGreaterThanOrEqual(epoch);
          epoch = batch.epoch;
          for (const entry of batch.entries) {
            expect(keys).not.toContain(entry.posting.key);
            keys.add(entry.posting.key);
            expect(said(entry.result)).toBe(model.post(entry.posting));
          }
        }
        for (const { posting, answer } of given) {
          expect(keys).toContain(posting.key);
          expect(answer).toBe(model.post(posting));
          expect(await ask(last, posting)).toBe(answer);
        }
        for (const [name, balances] of model.accounts) {
          const [merchantId = '', accountId = ''] = name.split('/');
          expect(last.book.balancesOf(merchantId, accountId)).toEqual(balances);
        }
        expect(model.sum()).toBe(0n);
        const house = ['rail:bank-transfer', 'fee-income', 'suspense:bank-transfer'].map((one) => last.book.balanceOf(one));
        expect(house).toEqual([model.house.rail, model.house.fees, model.house.suspense]);
        await Promise.all([...writers, last].map((writer) => writer.close()));
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

/** The writer's answer in the model's words; undefined when it has none. */
async function ask(writer: Partition | undefined, asked: Posting): Promise<string | undefined> {
  try {
    const posted = await writer?.post(asked, never);
    return posted === undefined ? undefined : said(posted.result);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    if (error.refusal.refused === 'posting_key_conflict') return 'conflict';
    if (error.refusal.refused === 'unavailable') return undefined;
    throw error;
  }
}
