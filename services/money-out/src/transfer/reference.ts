import type { Store } from '@gerbang/store';

/** One collection for all products, so that an account uses a reference once over all of them (contract §2). */
export const TRANSFERS = 'transfers';

type Reference = { accountId: string; referenceNumber: string };

/** What the references of accounts are used for. */
export type References = {
  /** Whether the reference is, at this moment, of a transaction of another product than this one. */
  isOfAnother(reference: Reference, product: string): Promise<boolean>;
};

/** The `_id` of the transaction that an account uses a reference for. */
export function referenceId(accountId: string, referenceNumber: string): string {
  return `${accountId}:${referenceNumber}`;
}

export function openReferences(store: Store): References {
  const transfers = store.collection<{ _id: string; product: string }>(TRANSFERS);
  return {
    async isOfAnother({ accountId, referenceNumber }, product) {
      const found = await transfers.findOne(
        { _id: referenceId(accountId, referenceNumber) },
        { projection: { product: 1 }, readConcern: 'linearizable' },
      );
      return found !== null && found.product !== product;
    },
  };
}
