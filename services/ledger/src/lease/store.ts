import { isDuplicateKey, type Store, traced } from '@gerbang/store';
import type { Topology } from '../partition/spread.ts';

const LEASES = 'leases';
const PARTITIONS = 'partitions';

/**
 * One document an instance: until when, in the database's time, it answers for the partitions it owns. `retiring`: it is about to
 * end.
 */
type LeaseDocument = { _id: string; schema: number; token: string; address: string; until: Date; retiring?: boolean };

/** Who owns a partition. Each claim has the next epoch, which its journal batches carry. */
type PartitionDocument = { _id: string; schema: number; owner: string; epoch: bigint };

/** This process as a holder of leases. `instance` survives a restart, `token` does not. */
export type Holder = { instance: string; token: string; address: string };

export type Claim = { epoch: bigint } | { heldBy: string; address: string };

/** Leases and ownership; every step is one conditional update. */
export type LeaseStore = {
  /** Takes the instance's own lease, from an earlier process of the same identity too: the journal's `_id` is the fence. */
  take(holder: Holder, lifeMs: number): Promise<void>;
  /** Takes it only when it is over. */
  takeIfOver(holder: Holder, lifeMs: number): Promise<boolean>;
  /** False when the lease is another's now. */
  renew(holder: Holder, lifeMs: number): Promise<boolean>;
  /** Says that the instance is about to end: it keeps its lease, and is given nothing any more. */
  retire(holder: Holder): Promise<void>;
  /** Ends the lease, so that others need not wait for it to run out. */
  release(holder: Holder): Promise<void>;
  /** Claims a partition under its next epoch, unless an instance with a running lease owns it. */
  claim(holder: Holder, partition: string): Promise<Claim>;
  /** Makes another instance the owner of a partition that this one has put down; false when it was not its own any more. */
  give(holder: Holder, partition: string, epoch: bigint, to: string): Promise<boolean>;
  /** All partitions and their owners, and the instances whose lease runs and that are not about to end. */
  topology(): Promise<Topology>;
};

export function openLeaseStore(store: Store): LeaseStore {
  const leases = store.collection<LeaseDocument>(LEASES);
  const partitions = store.collection<PartitionDocument>(PARTITIONS);

  const until = (lifeMs: number) => ({ $add: ['$$NOW', lifeMs] });
  const taken = ({ token, address }: Holder, lifeMs: number) => [
    { $set: { schema: 1, token, address, until: until(lifeMs), retiring: false } },
  ];
  const isOver = { $lte: ['$until', '$$NOW'] };

  /** Makes sure that an instance whose lease is over can't renew it any more; false while it is running. */
  const fence = async (instance: string): Promise<boolean> => {
    const { matchedCount } = await traced('updateOne', LEASES, () =>
      leases.updateOne({ _id: instance, $expr: isOver }, { $set: { token: '' } }),
    );
    return matchedCount === 1;
  };
  const claimNew = async (partition: string, owner: string): Promise<boolean> => {
    try {
      await traced('insertOne', PARTITIONS, () => partitions.insertOne({ _id: partition, schema: 1, owner, epoch: 1n }));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };
  return {
    async take(holder, lifeMs) {
      await traced('updateOne', LEASES, () =>
        leases.updateOne({ _id: holder.instance }, taken(holder, lifeMs), { upsert: true }),
      );
    },
    async takeIfOver(holder, lifeMs) {
      const { matchedCount } = await traced('updateOne', LEASES, () =>
        leases.updateOne({ _id: holder.instance, $expr: isOver }, taken(holder, lifeMs)),
      );
      return matchedCount === 1;
    },
    async renew({ instance, token }, lifeMs) {
      const { matchedCount } = await traced('updateOne', LEASES, () =>
        leases.updateOne({ _id: instance, token }, [{ $set: { until: until(lifeMs) } }]),
      );
      return matchedCount === 1;
    },
    async retire({ instance, token }) {
      await traced('updateOne', LEASES, () => leases.updateOne({ _id: instance, token }, { $set: { retiring: true } }));
    },
    async release({ instance, token }) {
      await traced('updateOne', LEASES, () =>
        leases.updateOne({ _id: instance, token }, [{ $set: { token: '', until: '$$NOW' } }]),
      );
    },
    async claim({ instance }, partition) {
      for (;;) {
        const known = await traced('findOne', PARTITIONS, () => partitions.findOne({ _id: partition }));
        if (known === null) {
          if (await claimNew(partition, instance)) return { epoch: 1n };
          continue;
        }
        if (known.owner !== instance && !(await fence(known.owner))) {
          const lease = await traced('findOne', LEASES, () => leases.findOne({ _id: known.owner }));
          return { heldBy: known.owner, address: lease?.address ?? '' };
        }
        const claimed = await traced('findOneAndUpdate', PARTITIONS, () =>
          partitions.findOneAndUpdate(
            { _id: partition, owner: known.owner, epoch: known.epoch },
            { $set: { owner: instance }, $inc: { epoch: 1n } },
            { returnDocument: 'after' },
          ),
        );
        if (claimed !== null) return { epoch: claimed.epoch };
      }
    },
    async give({ instance }, partition, epoch, to) {
      const { matchedCount } = await traced('updateOne', PARTITIONS, () =>
        partitions.updateOne({ _id: partition, owner: instance, epoch }, { $set: { owner: to } }),
      );
      return matchedCount === 1;
    },
    async topology() {
      // There are few of either. Partitions first: who owns one by then and still runs is among the instances.
      const owned = await traced('find', PARTITIONS, () => partitions.find({}).sort({ _id: 1 }).toArray());
      const seen = await traced('find', LEASES, () =>
        leases
          .find({})
          .sort({ _id: 1 })
          .project<{ _id: string; address: string; retiring?: boolean; over: boolean }>({ address: 1, retiring: 1, over: isOver })
          .toArray(),
      );
      return {
        instances: seen
          .filter(({ over, retiring }) => !over && retiring !== true)
          .map(({ _id, address }) => ({ id: _id, address })),
        partitions: owned.map(({ _id, owner, epoch }) => ({ name: _id, owner, epoch })),
      };
    },
  };
}
