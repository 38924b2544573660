import { type Clock, jakartaDay, RefusalError, refuse } from '@gerbang/core';
import { isDuplicateKey, retryConflicts, type Store, traced } from '@gerbang/store';
import type { ChargeStore } from './store.ts';

const QUOTAS = 'binding_quotas';
/** A charge that is not stored so long after its reservation never will be. */
const ORPHAN_MS = 60_000;
/** A binding's day is one document. */
const ENTRIES_MAX = 1_000;

type Entry = { id: string; amount_sen: bigint; at: Date };
type QuotaDocument = { _id: string; schema: number; version: bigint; entries: Entry[] };

/** A charge to be counted against what its merchant may charge to a binding in a day. */
export type Counted = { id: string; bindingId: string; amountSen: bigint; dailySen: bigint };

/** What was charged to bindings, one document for each binding and day of Asia/Jakarta. */
export type Quotas = {
  /** Counts a charge before it is stored, once. Refusals: account_limit, unavailable. */
  reserve(charge: Counted): Promise<void>;
};

export function openQuotas(store: Store, charges: Pick<ChargeStore, 'findMany'>, clock: Clock): Quotas {
  const collection = store.collection<QuotaDocument>(QUOTAS);

  /** Without the charges that came to nothing. */
  const stillCounting = async (entries: readonly Entry[]): Promise<Entry[]> => {
    const found = new Map((await charges.findMany(entries.map(({ id }) => id))).map((charge) => [charge.order.id, charge]));
    return entries.filter(({ id, at }) => {
      const status = found.get(id)?.state.status;
      if (status === undefined) return clock.now() - at.getTime() < ORPHAN_MS;
      return status !== 'failed' && status !== 'expired';
    });
  };
  const write = async (before: QuotaDocument | undefined, _id: string, entries: Entry[]): Promise<true | undefined> => {
    if (before === undefined) {
      try {
        await traced('insertOne', QUOTAS, () => collection.insertOne({ _id, schema: 1, version: 1n, entries }));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    }
    const { version } = before;
    const set = { entries, version: version + 1n };
    const { modifiedCount } = await traced('updateOne', QUOTAS, () => collection.updateOne({ _id, version }, { $set: set }));
    return modifiedCount === 1 ? true : undefined;
  };

  return {
    async reserve({ id, bindingId, amountSen, dailySen }) {
      const _id = `${bindingId}:${jakartaDay(clock.now())}`;
      await retryConflicts<QuotaDocument | undefined, true>({
        read: async () =>
          (await traced('findOne', QUOTAS, () => collection.findOne({ _id }, { readConcern: 'linearizable' }))) ?? undefined,
        async write(current) {
          const known = current?.entries ?? [];
          if (known.some((entry) => entry.id === id)) return true;
          const isOver = (entries: readonly Entry[]) => sumOf(entries) + amountSen > dailySen || entries.length >= ENTRIES_MAX;
          const entries = isOver(known) ? await stillCounting(known) : known;
          if (isOver(entries)) throw new RefusalError(refuse('account_limit'));
          return write(current, _id, [...entries, { id, amount_sen: amountSen, at: new Date(clock.now()) }]);
        },
      });
    },
  };
}

function sumOf(entries: readonly Entry[]): bigint {
  return entries.reduce((sum, { amount_sen }) => sum + amount_sen, 0n);
}
