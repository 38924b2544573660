import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Model, postings, said } from '../../test/model.ts';
import { isReceivable, isSystemAccount } from './account.ts';
import { Book } from './book.ts';
import { decideBatch } from './decide-batch.ts';
import type { Batch, KnownKey } from './posting.ts';

/** Batches of postings; after each one the projections may catch up, and keys be forgotten. */
const runs = fc.array(fc.record({ batch: fc.array(postings, { minLength: 1, maxLength: 12 }), project: fc.boolean() }), {
  maxLength: 25,
});

describe('book', () => {
  it('answers as a simple model does, whatever comes in whichever batches', () => {
    fc.assert(
      fc.property(runs, (rounds) => {
        const model = new Model();
        const book = new Book({ fromTheBeginning: true });
        const projected = new Map<string, KnownKey>();
        const journal: Batch[] = [];
        for (const { batch, project } of rounds) {
          const known = new Map<string, KnownKey>();
          for (const { key } of batch) {
            const answer = book.keyOf(key) ?? projected.get(key);
            if (answer !== undefined) known.set(key, answer);
          }
          const { outcomes, entries } = decideBatch((account) => book.balanceOf(account), known, batch);
          const answers = outcomes.map((outcome) => {
            if (outcome.kind === 'conflict') return 'conflict';
            return said(outcome.kind === 'new' ? outcome.entry.result : outcome.earlier.result);
          });
          expect(answers).toEqual(batch.map((posting) => model.post(posting)));
          const seq = BigInt(journal.length + 1);
          const written: Batch = { partition: 'p0', seq, epoch: 1n, batchId: String(seq), atMs: Number(seq), entries };
          journal.push(written);
          const after = book.apply(written);
          for (const [account, sen] of after) expect(book.balanceOf(account)).toBe(sen);
          if (!project) continue;
          for (const { posting, contentHash, result } of entries)
            projected.set(posting.key, { contentHash, result, seq, atMs: 0 });
          const unprojected = [...model.answers.keys()].filter((key) => !projected.has(key));
          book.forgetKeys(unprojected.length === 0 ? seq : 0n, 5);
          for (const key of unprojected) expect(book.keyOf(key)).toBeDefined();
        }
        for (const [name, balances] of model.accounts) {
          const [merchantId = '', accountId = ''] = name.split('/');
          expect(book.balancesOf(merchantId, accountId)).toEqual(balances);
        }
        const balances = [...book.snapshot()];
        expect(balances.reduce((sum, [, sen]) => sum + sen, 0n)).toBe(0n);
        for (const [account, sen] of balances) {
          if (isReceivable(account)) expect(sen).toBeLessThanOrEqual(0n);
          else if (!isSystemAccount(account)) expect(sen).toBeGreaterThanOrEqual(0n);
        }
        const owedSen = [...model.accounts.values()].reduce((sum, { owed }) => sum - owed, 0n);
        expect(book.owedSen()).toBe(owedSen);
        // The journal alone gives the same book again.
        const rebuilt = new Book({ fromTheBeginning: true });
        for (const batch of journal) rebuilt.apply(batch);
        expect(rebuilt.snapshot()).toEqual(book.snapshot());
        const restored = new Book({ fromTheBeginning: false });
        for (const [account, sen] of balances) restored.restore(account, sen);
        expect(restored.owedSen()).toBe(owedSen);
      }),
      { numRuns: 300 },
    );
  });

  it('forgets the oldest projected keys only, and keeps the newest', () => {
    const book = new Book({ fromTheBeginning: true });
    const [asked] = fc.sample(postings, 1);
    if (asked === undefined) throw new Error('no sample');
    const entry = (key: string) => ({ posting: { ...asked, key }, contentHash: '', legs: [], result: { availableAfterSen: 0n } });
    for (const seq of [1n, 2n, 3n]) {
      book.apply({ partition: 'p0', seq, epoch: 1n, batchId: '', atMs: 0, entries: [entry(`a${seq}`), entry(`b${seq}`)] });
    }
    book.forgetKeys(2n, 0);
    expect(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'].filter((key) => book.keyOf(key) !== undefined)).toEqual(['a3', 'b3']);
    book.forgetKeys(3n, 1);
    expect(['a3', 'b3'].filter((key) => book.keyOf(key) !== undefined)).toEqual(['b3']);
  });
});
