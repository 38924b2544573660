import { type Compartment, isReceivable, merchantAccount, ownerOf } from './account.ts';
import type { Batch, KnownKey } from './posting.ts';

/** Balances of a merchant account, or the sums over all of a merchant's; sen. */
export type Balances = Record<Compartment, bigint>;

/**
 * A partition in memory: every balance, and the postings' keys that the projections do not have yet or that are recent. Only what
 * is durable.
 */
export class Book {
  readonly #balances = new Map<string, bigint>();
  readonly #accountsOfMerchant = new Map<string, Set<string>>();
  /** In the order of the journal, so that the oldest are first. */
  readonly #keys = new Map<string, KnownKey>();
  /** Those that were ever touched, so that a posting without one looks at an empty set. */
  readonly #receivables = new Set<string>();
  #owedSen = 0n;
  #forgottenSeq = 0n;
  #hasAllKeys: boolean;

  /** `fromTheBeginning`: it will be given the journal from its first batch on. */
  constructor({ fromTheBeginning }: { fromTheBeginning: boolean }) {
    this.#hasAllKeys = fromTheBeginning;
  }

  balanceOf(account: string): bigint {
    return this.#balances.get(account) ?? 0n;
  }

  /** Zeros for what nothing has touched. */
  balancesOf(merchantId: string, accountId: string): Balances {
    const of = (one: Compartment) => this.balanceOf(merchantAccount(merchantId, accountId, one));
    return { available: of('available'), held: of('held'), pending: of('pending'), reserve: of('reserve'), owed: of('owed') };
  }

  accountsOf(merchantId: string): ReadonlySet<string> {
    return this.#accountsOfMerchant.get(merchantId) ?? new Set();
  }

  /** What all accounts owe together, sen, ≥ 0. */
  owedSen(): bigint {
    return this.#owedSen;
  }

  keyOf(key: string): KnownKey | undefined {
    return this.#keys.get(key);
  }

  /** Sets a balance that was loaded. */
  restore(account: string, sen: bigint): void {
    if (!this.#balances.has(account)) this.#noteOwner(account);
    if (this.#receivables.has(account)) this.#owedSen -= sen - this.balanceOf(account);
    this.#balances.set(account, sen);
  }

  #noteOwner(account: string): void {
    const owner = ownerOf(account);
    if (owner === undefined) return;
    const accounts = this.#accountsOfMerchant.get(owner.merchantId);
    if (accounts === undefined) this.#accountsOfMerchant.set(owner.merchantId, new Set([owner.accountId]));
    else accounts.add(owner.accountId);
    if (isReceivable(account)) this.#receivables.add(account);
  }

  /** Takes in what the journal says, and answers the absolute balances after it of the accounts it touched. */
  apply(batch: Batch): Map<string, bigint> {
    const after = new Map<string, bigint>();
    for (const { posting, contentHash, legs, result } of batch.entries) {
      for (const { account, sen } of legs) {
        const beforeSen = this.#balances.get(account);
        if (beforeSen === undefined) this.#noteOwner(account);
        const afterSen = (beforeSen ?? 0n) + sen;
        if (this.#receivables.has(account)) this.#owedSen -= sen;
        this.#balances.set(account, afterSen);
        after.set(account, afterSen);
      }
      this.#keys.set(posting.key, { contentHash, result, seq: batch.seq, atMs: batch.atMs });
    }
    return after;
  }

  /** Forgets the oldest keys beyond `keep`, but never one that the projections do not have: those go up to `projectedSeq`. */
  forgetKeys(projectedSeq: bigint, keep: number): void {
    for (const [key, { seq }] of this.#keys) {
      if (this.#keys.size <= keep || seq > projectedSeq) return;
      this.#keys.delete(key);
      this.#forgottenSeq = seq;
      this.#hasAllKeys = false;
    }
  }

  /** The last batch of which a key has been forgotten; 0 when none has. */
  forgottenSeq(): bigint {
    return this.#forgottenSeq;
  }

  /**
   * Whether a key that it does not have has never been used: the journal was read from its beginning, and nothing has been
   * forgotten.
   */
  hasAllKeys(): boolean {
    return this.#hasAllKeys;
  }

  /** All balances as they are now. */
  snapshot(): Map<string, bigint> {
    return new Map(this.#balances);
  }
}
