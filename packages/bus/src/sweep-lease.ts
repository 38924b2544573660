import { randomUUID } from 'node:crypto';
import { insertMissing, type Store, traced } from '@gerbang/store';

const LEASE_MS = 10_000;
/** Held for at least this long after it was renewed, by a clock that runs a little differently from the database's. */
const RENEW_AFTER_MS = 3_000;

type LeaseDocument = { _id: 'sweep'; holder: string; until: Date };

/** Says which of a service's replicas sweeps, so that they don't all publish everything. */
export type SweepLease = {
  /**
   * Takes or renews it; false while another replica has it. Costs a write every three seconds. Throws when the database does not
   * answer.
   */
  hold(): Promise<boolean>;
  /** Lets the next replica have it at once. */
  release(): Promise<void>;
};

/** Opens the lease that all replicas of a service share. It counts in the database's own time. */
export function openSweepLease(store: Store): SweepLease {
  const leases = store.collection<LeaseDocument>('relay_leases');
  const holder = randomUUID();
  let heldSinceMs = Number.NEGATIVE_INFINITY;

  /**
   * Takes the lease where it is mine or over; also one that lasts longer than any replica takes it for, which no replica renews.
   */
  const take = async (): Promise<boolean> => {
    const free = {
      $or: [{ $eq: ['$holder', holder] }, { $lte: ['$until', '$$NOW'] }, { $gt: ['$until', { $add: ['$$NOW', 2 * LEASE_MS] }] }],
    };
    const mine = [{ $set: { holder, until: { $add: ['$$NOW', LEASE_MS] } } }];
    // MongoDB takes no `$expr` in the filter of an upsert, so a lease that is missing is made apart.
    const { matchedCount } = await traced('updateOne', 'relay_leases', () =>
      leases.updateOne({ _id: 'sweep', $expr: free }, mine),
    );
    return matchedCount === 1;
  };
  /** Makes the lease, over already, where the service has none yet; false where it has one. */
  const makeMissing = async (): Promise<boolean> =>
    (await insertMissing<LeaseDocument>(leases, [{ _id: 'sweep', holder: '', until: new Date(0) }])).size === 1;

  return {
    async hold() {
      if (performance.now() - heldSinceMs < RENEW_AFTER_MS) return true;
      const askedMs = performance.now();
      heldSinceMs = Number.NEGATIVE_INFINITY;
      if (!(await take()) && !((await makeMissing()) && (await take()))) return false;
      heldSinceMs = askedMs;
      return true;
    },
    async release() {
      if (heldSinceMs === Number.NEGATIVE_INFINITY) return;
      heldSinceMs = Number.NEGATIVE_INFINITY;
      await traced('updateOne', 'relay_leases', () =>
        leases.updateOne({ _id: 'sweep', holder }, { $set: { until: new Date(0) } }),
      );
    },
  };
}
