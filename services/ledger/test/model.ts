import fc from 'fast-check';
import { contentHash, type Entry, type Intent, type Posting, type Result } from '../src/posting/posting.ts';

/** What the ledger promises, said as simply as possible: per merchant account three numbers, per key the first answer. */
export class Model {
  readonly accounts = new Map<string, { available: bigint; held: bigint; pending: bigint }>();
  readonly answers = new Map<string, { posting: Posting; answer: string }>();

  post(posting: Posting): string {
    const known = this.answers.get(posting.key);
    if (known !== undefined)
      return JSON.stringify(known.posting, plain) === JSON.stringify(posting, plain) ? known.answer : 'conflict';
    const answer = this.#carryOut(posting);
    this.answers.set(posting.key, { posting, answer });
    return answer;
  }

  account(merchantId: string, accountId: string) {
    const name = `${merchantId}/${accountId}`;
    const account = this.accounts.get(name) ?? { available: 0n, held: 0n, pending: 0n };
    this.accounts.set(name, account);
    return account;
  }

  #carryOut({ intent, merchantId, accountId, amountSen, feeSen, destinationAccountId }: Posting): string {
    const account = this.account(merchantId, accountId);
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
    if (intent === 'transfer') {
      if (account.available < amountSen) return 'insufficient_balance';
      account.available -= amountSen;
      this.account(merchantId, destinationAccountId).available += amountSen;
    }
    if (intent === 'settle') {
      if (account.pending < amountSen) return 'internal';
      account.pending -= amountSen;
      account.available += amountSen;
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
    intent: fc.constantFrom<Intent>('hold', 'capture', 'release', 'credit', 'transfer', 'settle'),
    merchantId: fc.constantFrom('M', 'N'),
    accountId: fc.constantFrom('A', 'B'),
    amountSen: fc.bigInt(1n, 20n),
    feeSen: fc.constantFrom(0n, 3n),
  })
  .map((one) => ({
    ...one,
    feeSen: one.intent === 'credit' || one.intent === 'transfer' ? 0n : one.feeSen,
    rail: 'bank-transfer',
    product: 'disbursement',
    transactionId: 't',
    referenceNumber: 'r',
    description: '',
    destinationAccountId: one.intent !== 'transfer' ? '' : one.accountId === 'A' ? 'B' : 'A',
  }));

/** Money in that has not settled yet, as the journal has it; no intent makes it yet. */
export function paidIn(merchantId: string, accountId: string, amountSen: bigint): Entry {
  const posting: Posting = {
    key: `paid-in-${merchantId}-${accountId}`,
    intent: 'credit',
    merchantId,
    accountId,
    amountSen,
    feeSen: 0n,
    rail: 'qris',
    product: 'qris',
    transactionId: 't',
    referenceNumber: 'r',
    description: '',
    destinationAccountId: '',
  };
  const legs = [
    { account: 'rail:qris', sen: -amountSen },
    { account: `${merchantId}/${accountId}:pending`, sen: amountSen },
  ];
  return { posting, contentHash: contentHash(posting), legs, result: { availableAfterSen: 0n } };
}

/** The accounts that `postings` are about. */
export const ACCOUNTS = ['M', 'N'].flatMap((merchantId) => ['A', 'B'].map((accountId) => ({ merchantId, accountId })));
/** What a run begins with in each of them. */
export const PENDING_SEN = 60n;
