import { compareValues } from '../bson/compare.ts';
import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { CommandError, failure, location } from '../errors.ts';
import { arrayMet, expandedRows, plainRow, plainValue } from '../storage/index-entries.ts';
import { pathParts } from './field-path.ts';

export type Comparator = (a: Doc, b: Doc) => number;
export type SortField = { path: string; parts: readonly string[]; direction: 1 | -1 };

/** What a sort may hold at once, as on the server. */
const sortBytesMax = 100 * 1024 * 1024;

/** Sorts items; of a sort with a limit only the first `keep` are kept. Refuses more than memory is meant for. */
export function sorted<T>(items: Iterable<T>, order: (a: T, b: T) => number, bytesOf: (item: T) => number, keep = 0): T[] {
  let held: T[] = [];
  let bytes = 0;
  for (const item of items) {
    // A document that has no key to sort by is an error, also where no other is compared with it.
    order(item, item);
    held.push(item);
    bytes += bytesOf(item);
    if (keep > 0 && held.length >= 2 * keep + 1000) {
      held = held.sort(order).slice(0, keep);
      bytes = held.reduce((sum, one) => sum + bytesOf(one), 0);
    }
    if (bytes > sortBytesMax) {
      throw failure(
        'QueryExceededMemoryLimitNoDiskUseAllowed',
        `Executor error during find command :: caused by :: Sort exceeded memory limit of ${sortBytesMax} bytes, but did not opt in to external sorting.`,
      );
    }
  }
  return held.sort(order);
}

/** Reads a sort specification. Refuses directions other than 1 and -1. */
export function sortFields(spec: Doc): SortField[] {
  const entries = Object.entries(spec);
  if (entries.length > 32) throw location(13103, 'too many compound keys');
  return entries.map(([path, direction]) => {
    if (isDoc(direction) && '$meta' in direction)
      throw failure('NotImplemented', 'sorting by $meta is not supported by this server');
    if (isDoc(direction)) throw location(17312, '$meta is the only expression supported by $sort right now');
    const sign = isNumeric(direction) ? Number(direction) : Number.NaN;
    if (sign !== 1 && sign !== -1) {
      if (!isNumeric(direction)) throw location(15974, `Illegal key in $sort specification: ${path}: ${String(direction)}`);
      throw location(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    return { path, parts: pathParts(path), direction: sign };
  });
}

/**
 * Compiles a sort into a comparator of documents. A document sorts by the least of the keys that an index on these fields would
 * have of it: an array by its least element, descending by its greatest, and what is not a document has no fields.
 */
export function compileSort(spec: Doc): Comparator {
  const fields = sortFields(spec);
  const compareRows = (a: readonly unknown[], b: readonly unknown[]) => {
    for (const [at, { direction }] of fields.entries()) {
      const order = compareValues(a[at], b[at]);
      if (order !== 0) return order * direction;
    }
    return 0;
  };
  const expanded = new WeakMap<Doc, readonly unknown[]>();
  const leastOf = (doc: Doc) => {
    const known = expanded.get(doc);
    if (known) return known;
    const [first = [], ...others] = rowsOf(doc, fields);
    const least = others.reduce<readonly unknown[]>((best, row) => (compareRows(row, best) < 0 ? row : best), first);
    expanded.set(doc, least);
    return least;
  };
  const keyOf = (doc: Doc) => plainRow(doc, fields) ?? leastOf(doc);
  return (a, b) => {
    for (const { parts, direction } of fields) {
      const left = plainValue(a, parts);
      const right = plainValue(b, parts);
      if (left === arrayMet || right === arrayMet) return compareRows(keyOf(a), keyOf(b));
      const order = compareValues(left, right);
      if (order !== 0) return order * direction;
    }
    return 0;
  };
}

function rowsOf(doc: Doc, fields: readonly SortField[]): readonly unknown[][] {
  try {
    return expandedRows(doc, fields).rows;
  } catch (error) {
    if (error instanceof CommandError && error.codeName === 'CannotIndexParallelArrays')
      throw failure(
        'BadValue',
        'Executor error during find command :: caused by :: cannot sort with keys that are parallel arrays',
      );
    throw error;
  }
}
