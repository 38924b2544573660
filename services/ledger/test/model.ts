import fc from 'fast-check';
import type { Intent, Posting, Result } from '../src/posting/posting.ts';

/** What the ledger promises, said as simply as possible: per merchant account two numbers, per key the first answer. */
export class Model {
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
/** A result in the model's words. */
export const said = (result: Result) => ('refused' in result ? result.refused : String(result.availableAfterSen));

/** Postings over few accounts and few keys, so that they meet often. */
export const postings: fc.Arbitrary<Posting> = fc
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
