import type { Collection, Stored } from '../storage/collection.ts';
import type { Plan } from './plan.ts';

/** What a query has looked at, for explain and for tests. */
export type Examined = { keys: number; docs: number };

/**
 * Pages start small, for queries that stop early, and grow. Their size is part of the statement: where a limit is bound SQLite
 * prepares again each time.
 */
const pageMin = 8;
const pageMax = 512;

/** Yields the documents a plan leads to. Between pages other writes may happen; the walk resumes by key. */
export function* scan(collection: Collection, plan: Plan, examined: Examined): Generator<Stored> {
  switch (plan.kind) {
    case 'id': {
      const one = collection.byId(plan.id);
      examined.keys += one ? 1 : 0;
      examined.docs += one ? 1 : 0;
      if (one) yield one;
      return;
    }
    case 'collection':
      yield* scanCollection(collection, plan.reverse, examined);
      return;
    case 'index':
      yield* plan.exact ? scanIds(collection, plan, examined) : scanIndex(collection, plan, examined);
      return;
    default: {
      const seen = new Set<number>();
      for (const part of plan.plans) {
        for (const one of scan(collection, part, examined)) {
          if (seen.has(one.rid)) continue;
          seen.add(one.rid);
          yield one;
        }
      }
    }
  }
}

function* scanCollection(collection: Collection, reverse: boolean, examined: Examined): Generator<Stored> {
  const [past, order] = reverse ? ['<', 'DESC'] : ['>', 'ASC'];
  const page = (size: number) =>
    collection.statement(`SELECT rid, doc FROM ${collection.table} WHERE rid ${past} ? ORDER BY rid ${order} LIMIT ${size}`);
  let last = reverse ? Number.MAX_SAFE_INTEGER : -1;
  for (let size = pageMin; ; size = Math.min(size * 2, pageMax)) {
    const rows = page(size).all(last) as unknown as Array<[number, Uint8Array]>;
    for (const [rid, bytes] of rows) {
      examined.docs++;
      last = rid;
      yield { rid, bytes };
    }
    if (rows.length < size) return;
  }
}

function* scanIds(collection: Collection, plan: Plan & { kind: 'index' }, examined: Examined): Generator<Stored> {
  for (const { low } of plan.reverse ? plan.ranges.toReversed() : plan.ranges) {
    const one = collection.byIdKey(low);
    if (one === undefined) continue;
    examined.keys++;
    examined.docs++;
    yield one;
  }
}

function* scanIndex(collection: Collection, plan: Plan & { kind: 'index' }, examined: Examined): Generator<Stored> {
  const { index, reverse } = plan;
  const order = reverse ? 'DESC' : 'ASC';
  const source = `SELECT i.key, i.rid, d.doc FROM ${index.table} i CROSS JOIN ${collection.table} d ON d.rid = i.rid`;
  const ordered = `ORDER BY i.key ${order}, i.rid ${order} LIMIT`;
  const first = collection.statement(`${source} WHERE i.key >= ? AND i.key < ? ${ordered} ${pageMin}`);
  const past = reverse ? 'i.key >= ? AND (i.key, i.rid) < (?, ?)' : '(i.key, i.rid) > (?, ?) AND i.key < ?';
  const next = (size: number) => collection.statement(`${source} WHERE ${past} ${ordered} ${size}`);
  // Where arrays have spread a document over several keys it is met several times.
  const seen = index.arrays ? new Set<number>() : undefined;
  for (const { low, high } of reverse ? plan.ranges.toReversed() : plan.ranges) {
    let rows = first.all(low, high) as unknown as Array<[Uint8Array, number, Uint8Array]>;
    for (let size = pageMin; rows.length > 0; ) {
      for (const [, rid, bytes] of rows) {
        examined.keys++;
        if (seen?.has(rid)) continue;
        seen?.add(rid);
        examined.docs++;
        yield { rid, bytes };
      }
      const last = rows.at(-1);
      if (!last || rows.length < size) break;
      size = Math.min(size * 2, pageMax);
      const [key, rid] = last;
      rows = (reverse ? next(size).all(low, key, rid) : next(size).all(key, rid, high)) as unknown as typeof rows;
    }
  }
}
