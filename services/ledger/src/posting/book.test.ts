import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSystemAccount } from './account.ts';
import { Book } from './book.ts';
import { decideBatch } from './decide-batch.ts';
import type { Batch, Intent, KnownKey, Posting, Result } from './posting.ts';

/** What the ledger promises, said as simply as possible: per merchant account two numbers, per key the first answer. */
class Model {
  readonly accounts = new Map<string, { available: bigint; held: bigint }>();
  readonly answers = new Map<string, { posting: Posting; answer: string }>();

  post(posting: Posting): string {
    const known = this.answers.get(posting.key);
    if (known !== undefined)
      return JSON.stringify(known.posting, plain) === JSON.stringify(posting, plain) ? known.answer : 'conflict';
    const answer = this.#carryOut(posting);
    this.answers.set(posting.key, { posting, answer });
    return answer;
  }

  #carryOut({ intent, merchantId, accountId, amountSen, feeSen }: Posting): string {
    const name = `${merchantId}/${accountId}`;
    const account = this.accounts.get(name) ?? { available: 0n, held: 0n };
    this.accounts.set(name, account);
    const grossSen = amountSen + feeSen;
    if (intent === 'credit') account.available += amountSen;
    if (intent === 'hold') {
      if (account.available < grossSen) return 'insufficient_balance';
      account.available -= grossSen;
      account.held += grossSen;
    }
    if (intent === 'capture' || intent === 'release') {
      if (account.held < grossSen) return 'internal';
      account.held -= grossSen;
      if (intent === 'release') account.available += grossSen;
    }
    return String(account.available);
  }
}

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
const said = (result: Result) => ('refused' in result ? result.refused : String(result.availableAfterSen));

const postings: fc.Arbitrary<Posting> = fc
  .record({
    key: fc.integer({ min: 0, max: 60 }).map((n) => `key-${n}`),
    intent: fc.constantFrom<Intent>('hold', 'capture', 'release', 'credit'),
    merchantId: fc.constantFrom('M', 'N'),
    accountId: fc.constantFrom('A', 'B'),
    amountSen: fc.bigInt(1n, 20n),
    feeSen: fc.constantFrom(0n, 3n),
  })
  .map((one) => ({
    ...one,
    feeSen: one.intent === 'credit' ? 0n : one.feeSen,
    rail: 'bank-transfer',
    product: 'disbursement',
    transactionId: 't',
    referenceNumber: 'r',
    description: '',
  }));

/** Batches of postings; after each one the projections may catch up, and keys be forgotten. */
const runs = fc.array(fc.record({ batch: fc.array(postings, { minLength: 1, maxLength: 12 }), project: fc.boolean() }), {
  maxLength: 25,
});

describe('book', () => {
  it('answers as a simple model does, whatever comes in whichever batches', () => {
    fc.assert(
      fc.property(runs, (rounds) => {
        const model = new Model();
        const book = new Book();
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
        for (const [name, { available, held }] of model.accounts) {
          const [merchantId = '', accountId = ''] = name.split('/');
          expect(book.balancesOf(merchantId, accountId)).toEqual({ available, held, pending: 0n });
        }
        const balances = [...book.snapshot()];
        expect(balances.reduce((sum, [, sen]) => sum + sen, 0n)).toBe(0n);
        for (const [account, sen] of balances) if (!isSystemAccount(account)) expect(sen).toBeGreaterThanOrEqual(0n);
        // The journal alone gives the same book again.
        const rebuilt = new Book();
        for (const batch of journal) rebuilt.apply(batch);
        expect(rebuilt.snapshot()).toEqual(book.snapshot());
      }),
      { numRuns: 300 },
    );
  });

  it('forgets the oldest projected keys only, and keeps the newest', () => {
    const book = new Book();
    const entry = (key: string) => ({
      posting: { key } as Posting,
      contentHash: '',
      legs: [],
      result: { availableAfterSen: 0n },
    });
    for (const seq of [1n, 2n, 3n]) {
      book.apply({ partition: 'p0', seq, epoch: 1n, batchId: '', atMs: 0, entries: [entry(`a${seq}`), entry(`b${seq}`)] });
    }
    book.forgetKeys(2n, 0);
    expect(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'].filter((key) => book.keyOf(key) !== undefined)).toEqual(['a3', 'b3']);
    book.forgetKeys(3n, 1);
    expect(['a3', 'b3'].filter((key) => book.keyOf(key) !== undefined)).toEqual(['b3']);
  });
});
