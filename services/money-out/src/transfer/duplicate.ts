import { createHash } from 'node:crypto';
import { combine, type Store, traced } from '@gerbang/store';
import { TRANSFERS } from './reference.ts';

/** How long before an order another one counts as its possible duplicate, business time (contract §6). */
const DUPLICATE_WITHIN_MS = 5 * 60_000;

/** What a payment is recognized by: payer, beneficiary and amount. `beneficiary` is the product's own text. */
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
  // Only the last part can have any text.
  const text = `${product}:${accountId}:${amountSen}:${beneficiary}`;
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}

/** Opens the search with its index. Orders that concur are looked up in one read. */
export async function openPayments(store: Store): Promise<Payments> {
  const orders = openOrders(store);
  await orders.createIndex({ payment_hash: 1, created_at: -1 }, { name: 'payments' });
  const find = combine(async (wanted: readonly HashedOrder[]) => {
    const found = await findTogether(orders, wanted);
    return Promise.all(wanted.map(async (order) => ({ result: await pick(orders, order, found.get(order.hash)) })));
  });
  return {
    findDuplicate: async ({ _id, payment_hash: hash, created_at: createdAt }) =>
      hash === undefined ? undefined : find({ id: _id, hash, createdAtMs: createdAt.getTime() }),
  };
}

type HashedOrder = { id: string; hash: string; createdAtMs: number };
type FoundOrder = { _id: string; payment_hash: string; created_at: Date };
type Orders = ReturnType<typeof openOrders>;

/** Orders of some payments, newest first; `isComplete` if there are no others within the time that was asked for. */
type Found = { orders: readonly FoundOrder[]; isComplete: boolean };

function openOrders(store: Store) {
  return store.collection<FoundOrder>(TRANSFERS);
}

/**
 * What there is of each hash. Nearly all payments were ordered once: one read finds all. Where it does not, each payment has its
 * own.
 */
async function findTogether(orders: Orders, wanted: readonly HashedOrder[]): Promise<Map<string, Found>> {
  const hashes = [...new Set(wanted.map(({ hash }) => hash))];
  const together = await findNewest(orders, hashes, wanted);
  const ofHash = (hash: string) =>
    together.isComplete || hashes.length === 1
      ? together
      : findNewest(
          orders,
          [hash],
          wanted.filter((order) => order.hash === hash),
        );
  return new Map(await Promise.all(hashes.map(async (hash) => [hash, await ofHash(hash)] as const)));
}

async function findNewest(orders: Orders, hashes: readonly string[], wanted: readonly HashedOrder[]): Promise<Found> {
  const times = wanted.map(({ createdAtMs }) => createdAtMs);
  // Each order finds itself. Of one payment all may repeat the same one; of several each may repeat one of its own.
  const limit = hashes.length === 1 ? wanted.length + 1 : 2 * wanted.length;
  const createdAt = { $gt: new Date(Math.min(...times) - DUPLICATE_WITHIN_MS), $lte: new Date(Math.max(...times)) };
  const filter = { payment_hash: { $in: [...hashes] }, created_at: createdAt };
  const projection = { payment_hash: 1, created_at: 1 };
  const found = await traced('find', TRANSFERS, () =>
    orders.find(filter, { sort: { created_at: -1 }, limit, projection }).toArray(),
  );
  return { orders: found, isComplete: found.length < limit };
}

/** The newest one that is not newer than the order. Where only newer ones were found, and they are not all, it is asked for alone. */
async function pick(orders: Orders, order: HashedOrder, found: Found | undefined): Promise<string | undefined> {
  const { id, hash, createdAtMs } = order;
  const isDuplicated = ({ _id, payment_hash, created_at }: FoundOrder) => {
    const agoMs = createdAtMs - created_at.getTime();
    return payment_hash === hash && _id !== id && agoMs >= 0 && agoMs < DUPLICATE_WITHIN_MS;
  };
  const duplicated = found?.orders.find(isDuplicated);
  if (duplicated !== undefined || found?.isComplete) return referenceOf(duplicated);
  return referenceOf((await findNewest(orders, [hash], [order])).orders.find(isDuplicated));
}

/** The part of the document's id after the account's. */
function referenceOf(order: FoundOrder | undefined): string | undefined {
  return order?._id.slice(order._id.indexOf(':') + 1);
}
