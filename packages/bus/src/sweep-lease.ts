import { randomUUID } from 'node:crypto';
import { isDuplicateKey, type Store, traced } from '@gerbang/store';

const LEASE_MS = 10_000;
/** Held for at least this long after it was renewed, by a clock that runs a little differently from the database's. */
const RENEW_AFTER_MS = 3_000;

type LeaseDocument = { _id: 'sweep'; holder: string; until: Date };

/** Whose turn it is to sweep: one of a service's replicas, so that they don't all publish everything. */
export type SweepLease = {
  /** Takes or renews it; false while another replica has it. Costs a write every three seconds. */
  hold(): Promise<boolean>;
  /** Lets the next replica have it at once. */
  release(): Promise<void>;
};

export function openSweepLease(store: Store): SweepLease {
  const leases = store.collection<LeaseDocument>('relay_leases');
  const holder = randomUUID();
  let heldSinceMs = Number.NEGATIVE_INFINITY;
  return {
    async hold() {
      if (performance.now() - heldSinceMs < RENEW_AFTER_MS) return true;
      const askedMs = performance.now();
      const free = { $or: [{ $eq: ['$holder', holder] }, { $lte: ['$until', '$$NOW'] }] };
      const mine = [{ $set: { holder, until: { $add: ['$$NOW', LEASE_MS] } } }];
      try {
        // Where another one holds it, the filter finds nothing and inserting meets its document.
        await traced('updateOne', 'relay_leases', () => leases.updateOne({ _id: 'sweep', $expr: free }, mine, { upsert: true }));
      } catch (error) {
        heldSinceMs = Number.NEGATIVE_INFINITY;
        if (isDuplicateKey(error)) return false;
        throw error;
      }
      heldSinceMs = askedMs;
      return true;
    },
    async release() {
      if (heldSinceMs === Number.NEGATIVE_INFINITY) return;
      heldSinceMs = Number.NEGATIVE_INFINITY;
      await traced('deleteOne', 'relay_leases', () => leases.deleteOne({ _id: 'sweep', holder }));
    },
  };
}
