import { createHash } from 'node:crypto';
import { canonicalJson } from '@gerbang/core';
import { type Store, traced } from '@gerbang/store';
import { TRANSFERS } from './reference.ts';

/** How long before an order another one counts as its possible duplicate, business time (contract §6). */
const DUPLICATE_WITHIN_MS = 5 * 60_000;

/** What a payment is recognized by: who pays whom how much. `beneficiary` is the product's own text. */
export type Payment = { product: string; accountId: string; beneficiary: string; amountSen: bigint };

/** The fields of a stored order that the search goes by. Documents of earlier versions have no hash, and no duplicates. */
type OrderedPayment = { _id: string; payment_hash?: string; created_at: Date };

/** The orders of all products as payments. */
export type Payments = {
  /**
   * The reference of the newest order of the same payment that was made in the 5 minutes before this one, under another
   * reference; undefined where there is none. One that the ledger has not accepted yet counts: two orders that concur would miss
   * each other otherwise.
   */
  findDuplicate(order: OrderedPayment): Promise<string | undefined>;
};

/** SHA-256 as far as 128 bits: a beneficiary is not stored again in an index. */
export function paymentHash({ product, accountId, beneficiary, amountSen }: Payment): string {
  const json = { product, accountId, beneficiary, amountSen: amountSen.toString() };
  return createHash('sha256').update(canonicalJson(json)).digest().subarray(0, 16).toString('base64url');
}

/** Opens the search with its index. */
export async function openPayments(store: Store): Promise<Payments> {
  const orders = store.collection<OrderedPayment & { reference_number: string }>(TRANSFERS);
  await orders.createIndex({ payment_hash: 1, created_at: -1 }, { name: 'payments' });
  return {
    async findDuplicate({ _id, payment_hash: hash, created_at: createdAt }) {
      if (hash === undefined) return undefined;
      const since = new Date(createdAt.getTime() - DUPLICATE_WITHIN_MS);
      const found = await traced('findOne', TRANSFERS, () =>
        orders.findOne(
          { payment_hash: hash, created_at: { $gt: since, $lte: createdAt }, _id: { $ne: _id } },
          { sort: { created_at: -1 }, projection: { reference_number: 1 } },
        ),
      );
      return found?.reference_number;
    },
  };
}
