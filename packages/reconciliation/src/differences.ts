import { insertMissing, type Store, traced } from '@gerbang/store';
import type { DifferenceDocument } from './document.ts';
import { DIFFERENCE_KINDS, type DifferenceKind } from './match/judge.ts';

export const DIFFERENCES = 'reconciliation_differences';
const BATCH = 500;

export type DifferenceFilter = { rail: string; day: string; state: '' | DifferenceDocument['state'] };

/** What differs, until operators have explained it or a later run finds it no more. */
export type Differences = {
  /**
   * Puts what a run has found in the place of what is open of its day; what operators have explained stays. Gives those that no
   * earlier run has found.
   */
  replace(of: { rail: string; day: string; run: number }, found: readonly DifferenceDocument[]): Promise<DifferenceDocument[]>;
  /** In the order of ids, after one. */
  list(filter: DifferenceFilter, page: { limit: number; after: string | undefined }): Promise<DifferenceDocument[]>;
  find(id: string): Promise<DifferenceDocument | undefined>;
  explain(id: string, by: { operator: string; note: string; nowMs: number }): Promise<DifferenceDocument | undefined>;
  countOpen(rail: string): Promise<Readonly<Record<DifferenceKind, number>>>;
  countOpenOf(rail: string, day: string): Promise<number>;
  ofPayments(paymentIds: readonly string[]): Promise<DifferenceDocument[]>;
};

export async function openDifferences(store: Store): Promise<Differences> {
  const differences = store.collection<DifferenceDocument>(DIFFERENCES);
  await differences.createIndex({ rail: 1, day: 1, _id: 1 }, { name: 'of-day' });
  await differences.createIndex({ rail: 1, kind: 1, state: 1 }, { name: 'open' });
  await differences.createIndex({ payment_id: 1 }, { name: 'by-payment' });
  const find = async (id: string) => (await differences.findOne({ _id: id }, { readConcern: 'linearizable' })) ?? undefined;
  const foundAgain = async ({ _id, ...found }: DifferenceDocument) => {
    const { run, reason, ours, row } = found;
    const sides = { ...(ours !== undefined && { ours }), ...(row !== undefined && { row }) };
    await differences.updateOne({ _id, state: 'open' }, { $set: { run, reason, ...sides } });
  };
  return {
    find,
    async replace({ rail, day, run }, found) {
      const isNew = new Set<unknown>();
      for (let start = 0; start < found.length; start += BATCH) {
        const batch = found.slice(start, start + BATCH);
        const inserted = await insertMissing(differences, batch);
        for (const id of inserted) isNew.add(id);
        for (const known of batch) if (!inserted.has(known._id)) await foundAgain(known);
      }
      // Ids of earlier runs only: what a newer run has found is none of this one's business.
      const gone = differences.find({ rail, day, state: 'open', run: { $lt: run } }, { projection: { run: 1 } });
      for await (const { _id, run: foundBy } of gone) await differences.deleteOne({ _id, state: 'open', run: foundBy });
      return found.filter(({ _id }) => isNew.has(_id));
    },
    list({ rail, day, state }, { limit, after }) {
      const filter = {
        _id: { $gt: after ?? '' },
        ...(rail !== '' && { rail }),
        ...(day !== '' && { day }),
        ...(state !== '' && { state }),
      };
      return traced('find', DIFFERENCES, () => differences.find(filter, { sort: { _id: 1 }, limit }).toArray());
    },
    async explain(id, { operator, note, nowMs }) {
      const set = { state: 'explained' as const, explained_by: operator, explained_at: new Date(nowMs), note };
      await differences.updateOne({ _id: id, state: 'open' }, { $set: set });
      return find(id);
    },
    async countOpen(rail) {
      const counts = await Promise.all(
        DIFFERENCE_KINDS.map(async (kind) => [kind, await differences.countDocuments({ rail, kind, state: 'open' })] as const),
      );
      // Its keys are those of the list.
      return Object.fromEntries(counts) as Record<DifferenceKind, number>;
    },
    countOpenOf: (rail, day) => differences.countDocuments({ rail, day, state: 'open' }),
    ofPayments: (paymentIds) =>
      traced('find', DIFFERENCES, () => differences.find({ payment_id: { $in: [...paymentIds] } }).toArray()),
  };
}
