import { createHash } from 'node:crypto';
import type { Store } from '@gerbang/store';

/** An entry of the log that was kept before operators had keys: `operator` is what somebody called himself. */
export type LegacyDocument = {
  _id: bigint;
  schema: number;
  at: Date;
  operator: string;
  command: string;
  target: string;
  before: string;
  after: string;
  previous_hash: string;
  hash: string;
};

/** Where the earlier log ended when the present one began. */
export type LegacyHead = { seq: bigint; hash: string };

export const NO_LEGACY: LegacyHead = { seq: 0n, hash: '' };

const BATCH = 500;

/** An empty text and 0 mean all. */
export type LegacyFilter = { operator: string; target: string; fromMs: number; untilMs: number };

/** The earlier log; it is only read. */
export type LegacyLog = {
  head(): Promise<LegacyHead>;
  /** The newest before that number, newest first; all where it is undefined. */
  list(filter: LegacyFilter, before: bigint | undefined, limit: number): Promise<LegacyDocument[]>;
  /** What is wrong with it, given where it ended; and how many entries it has. */
  verify(head: LegacyHead): Promise<{ problems: string[]; entries: bigint }>;
};

export function openLegacyLog(store: Store): LegacyLog {
  const log = store.collection<LegacyDocument>('audit_log');
  return {
    async head() {
      const last = await log.findOne({}, { sort: { _id: -1 }, readConcern: 'linearizable' });
      return last === null ? NO_LEGACY : { seq: last._id, hash: last.hash };
    },
    async list({ operator, target, fromMs, untilMs }, before, limit) {
      const conditions: object[] = [{ _id: { $gt: 0n } }];
      if (before !== undefined) conditions.push({ _id: { $lt: before } });
      if (operator !== '') conditions.push({ operator });
      if (target !== '') conditions.push({ target });
      if (fromMs > 0) conditions.push({ at: { $gte: new Date(fromMs) } });
      if (untilMs > 0) conditions.push({ at: { $lt: new Date(untilMs) } });
      return log.find({ $and: conditions }, { sort: { _id: -1 }, limit }).toArray();
    },
    async verify(head) {
      const problems: string[] = [];
      let previous = { _id: 0n, hash: '' };
      for await (const document of log.find({}, { sort: { _id: 1 }, batchSize: BATCH })) {
        const follows = document._id === previous._id + 1n && document.previous_hash === previous.hash;
        if (!follows || document.hash !== hashOf(document))
          problems.push(`earlier log: entry ${document._id} or what is before it was changed or removed`);
        previous = document;
      }
      if (previous._id !== head.seq || previous.hash !== head.hash) {
        problems.push(
          `earlier log: it ends with entry ${previous._id}, and ended with another entry ${head.seq} when it was closed`,
        );
      }
      return { problems, entries: previous._id };
    },
  };
}

function hashOf(document: LegacyDocument): string {
  const { _id, schema, at, operator, command, target, before, after, previous_hash } = document;
  const content = [String(_id), schema, at.toISOString(), operator, command, target, before, after, previous_hash];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
