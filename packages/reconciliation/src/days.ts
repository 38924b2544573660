import { insertMissing, type Store, traced } from '@gerbang/store';
import { type Day, dueAtMs } from './day.ts';
import { fromReconciliation, newReconciliation, type ReconciliationDocument, reconciliationId, toSummary } from './document.ts';
import { type Reconciliation, type Summary, TIMER } from './reconciliation.ts';

export const RECONCILIATIONS = 'reconciliations';

/** A run that has begun: its writes count only while no other run of the day has begun. */
export type Run = { rail: string; day: Day; number: number; requests: number; by: string; attempts: number };

/** The days of all rails of a service. */
export type Days = {
  find(rail: string, day: Day): Promise<Reconciliation | undefined>;
  /** The newest days first. */
  list(filter: { rail: string; day: string; limit: number }): Promise<Reconciliation[]>;
  /** Plans a day that is not planned yet. */
  plan(rail: string, day: Day): Promise<void>;
  /** An operator wants it compared at `atMs`; gives the day as it then stands. */
  request(rail: string, day: Day, by: string, atMs: number): Promise<Reconciliation>;
  /** Undefined where another run has begun meanwhile. */
  begin(document: ReconciliationDocument, nowMs: number): Promise<Run | undefined>;
  /** Keeps others away for `leaseMs` more; false where another run has begun. */
  renew(run: Run, leaseMs: number): Promise<boolean>;
  /** What a run has found. False where another run has begun, whose result counts. */
  finish(run: Run, summary: Summary, next: { nowMs: number; againAtMs: number | undefined }): Promise<boolean>;
  fail(run: Run, problem: string, next: { nowMs: number; retryAtMs: number }): Promise<void>;
  /** When the newest day of a rail that was compared was finished; undefined where there is none. */
  lastSuccessMs(rail: string): Promise<number | undefined>;
};

export function openDays(store: Store): Days {
  const days = store.collection<ReconciliationDocument>(RECONCILIATIONS);
  const ofRun = ({ rail, day, number }: Run) => ({ _id: reconciliationId(rail, day), run: number });
  const write = async (filter: object, update: object | object[]) => {
    const { matchedCount } = await traced('updateOne', RECONCILIATIONS, () => days.updateOne(filter, update));
    return matchedCount === 1;
  };
  const find = async (rail: string, day: Day) => {
    const found = await traced('findOne', RECONCILIATIONS, () =>
      days.findOne({ _id: reconciliationId(rail, day) }, { readConcern: 'linearizable' }),
    );
    return found === null ? undefined : fromReconciliation(found);
  };
  return {
    find,
    async list({ rail, day, limit }) {
      // All ids of a rail are between these two.
      const ids = rail === '' ? { $gt: '' } : { $gt: `${rail}:`, $lt: `${rail};` };
      const filter = { _id: ids, ...(day !== '' && { day }) };
      const found = await traced('find', RECONCILIATIONS, () =>
        days.find(filter, { sort: { day: -1, _id: 1 }, limit }).toArray(),
      );
      return found.map(fromReconciliation);
    },
    async plan(rail, day) {
      await insertMissing(days, [newReconciliation(rail, day, { atMs: dueAtMs(day), by: TIMER })]);
    },
    async request(rail, day, by, atMs) {
      const inserted = await insertMissing(days, [newReconciliation(rail, day, { atMs, by })]);
      if (inserted.size === 0) {
        const set = { due_at: new Date(atMs), by };
        await write({ _id: reconciliationId(rail, day) }, { $inc: { requests: 1 }, $set: set });
      }
      const requested = await find(rail, day);
      if (requested === undefined) throw new Error(`the reconciliation of ${rail} on ${day} has vanished`);
      return requested;
    },
    async begin(document, nowMs) {
      const { _id, rail, day, run, requests, by, attempts } = document;
      const set = { status: 'running' as const, started_at: new Date(nowMs), attempts: attempts + 1 };
      const isMine = await write({ _id, run }, { $inc: { run: 1 }, $set: set });
      return isMine ? { rail, day, number: run + 1, requests, by, attempts: attempts + 1 } : undefined;
    },
    renew: (run, leaseMs) => write(ofRun(run), [{ $set: { lease_until: { $add: ['$$NOW', leaseMs] } } }]),
    async finish(run, summary, { nowMs, againAtMs }) {
      const set = {
        status: 'done' as const,
        attempts: 0,
        finished_requests: run.requests,
        finished_at: new Date(nowMs),
        result: toSummary(summary),
      };
      const due = againAtMs === undefined ? {} : { due_at: new Date(againAtMs) };
      const over = { lease_until: '', problem: '', ...(againAtMs === undefined && { due_at: '' }) };
      if (await write({ ...ofRun(run), requests: run.requests }, { $set: { ...set, ...due, by: TIMER }, $unset: over }))
        return true;
      // It was asked for again meanwhile, so it stays due.
      return write(ofRun(run), { $set: set, $unset: { lease_until: '', problem: '' } });
    },
    async fail(run, problem, { nowMs, retryAtMs }) {
      const set = { status: 'failed' as const, problem, finished_at: new Date(nowMs), due_at: new Date(retryAtMs) };
      await write(ofRun(run), { $set: set, $unset: { lease_until: '' } });
    },
    async lastSuccessMs(rail) {
      const filter = { _id: { $gt: `${rail}:`, $lt: `${rail};` }, status: 'done' as const };
      const found = await traced('findOne', RECONCILIATIONS, () => days.findOne(filter, { sort: { _id: -1 } }));
      return found?.finished_at?.getTime();
    },
  };
}
