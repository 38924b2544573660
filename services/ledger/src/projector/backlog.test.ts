import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Book } from '../posting/book.ts';
import type { Batch, Entry, Posting } from '../posting/posting.ts';
import { createBacklog } from './backlog.ts';
import type { Projection } from './projection.ts';

const ACCOUNTS = ['m/a:available', 'm/b:available', 'rail:va'];
const asked: Posting = {
  key: '',
  intent: 'credit',
  merchantId: 'm',
  accountId: 'a',
  amountSen: 1n,
  feeSen: 0n,
  vendorFeeSen: 0n,
  rail: 'va',
  product: '',
  transactionId: '',
  referenceNumber: '',
  description: '',
  destinationAccountId: '',
  side: 'available',
  fromSuspense: false,
  compensation: '',
};

/** Batches come by the number of their postings; the oldest are taken and removed in between. */
const steps = fc.array(
  fc.oneof(
    fc.record({ add: fc.array(fc.record({ account: fc.constantFrom(...ACCOUNTS), sen: fc.bigInt(-9n, 9n) }), { maxLength: 4 }) }),
    fc.record({ take: fc.integer({ min: 1, max: 9 }) }),
  ),
  { maxLength: 60 },
);

it('gives every batch once, in order, with the balances after it, however little of it is in memory', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }), async (todo, inMemory, read) => {
      const journal: Batch[] = [];
      const after = async function* (_: string, seq: bigint) {
        yield* journal.filter((batch) => batch.seq > seq);
      };
      const book = new Book({ fromTheBeginning: true });
      const next = (legs: readonly { account: string; sen: bigint }[]): Projection => {
        const seq = BigInt(journal.length + 1);
        const entries = legs.map((leg, i): Entry => {
          return { posting: { ...asked, key: `${seq}-${i}` }, contentHash: '', legs: [leg], result: { availableAfterSen: 0n } };
        });
        const batch: Batch = { partition: 'p0', seq, epoch: 1n, batchId: String(seq), atMs: Number(seq), entries };
        journal.push(batch);
        return { batch, after: book.apply(batch) };
      };
      const [first, second] = [next([{ account: 'rail:va', sen: -5n }]), next([])];
      const all = [first, second];
      const backlog = createBacklog({ after }, 'p0', [first, second], { inMemory, read });
      const seen: Projection[] = [];
      const take = async (postings: number) => {
        const taken = await backlog.oldest(postings);
        expect(taken).toEqual(await backlog.oldest(postings));
        const sizes = taken.map(({ batch }) => batch.entries.length);
        if (taken.length > 1) expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(postings);
        seen.push(...taken);
        backlog.removeOldest(taken.length);
        return taken.length;
      };
      for (const step of todo) {
        if ('take' in step) await take(step.take);
        else {
          const projection = next(step.add);
          all.push(projection);
          backlog.add(projection, () => book.snapshot());
        }
        const waiting = all.slice(seen.length).reduce((sum, { batch }) => sum + batch.entries.length, 0);
        expect(backlog.size()).toBe(waiting);
      }
      while ((await take(3)) > 0);
      expect(seen).toEqual(all);
      expect(backlog.size()).toBe(0);
    }),
    { numRuns: 300 },
  );
});
