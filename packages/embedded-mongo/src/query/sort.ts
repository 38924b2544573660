import { compareValues } from '../bson/compare.ts';
import { bsonUndefined, type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { isPosition } from './path.ts';

export type Comparator = (a: Doc, b: Doc) => number;
export type SortField = { path: string; parts: readonly string[]; direction: 1 | -1 };

/** What a sort may hold at once, as on the server. */
const sortBytesMax = 100 * 1024 * 1024;

/** Sorts items; of a sort with a limit only the first `keep` are kept. Refuses more than memory is meant for. */
export function sorted<T>(items: Iterable<T>, order: (a: T, b: T) => number, bytesOf: (item: T) => number, keep = 0): T[] {
  let held: T[] = [];
  let bytes = 0;
  for (const item of items) {
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
  return Object.entries(spec).map(([path, direction]) => {
    if (isDoc(direction)) throw failure('NotImplemented', 'sorting by $meta is not supported by this server');
    const sign = isNumeric(direction) ? Number(direction) : Number.NaN;
    if (sign !== 1 && sign !== -1) {
      if (!isNumeric(direction)) throw location(15974, `Illegal key in $sort specification: ${path}: ${String(direction)}`);
      throw location(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    if (path === '' || path.split('.').includes('')) throw location(15998, 'FieldPath field names may not be empty strings.');
    return { path, parts: path.split('.'), direction: sign };
  });
}

/** Compiles a sort into a comparator of documents. An array sorts by its least element, descending by its greatest. */
export function compileSort(spec: Doc): Comparator {
  const fields = sortFields(spec);
  return (a, b) => {
    for (const { parts, direction } of fields) {
      const order = compareValues(sortKey(a, parts, direction), sortKey(b, parts, direction));
      if (order !== 0) return order * direction;
    }
    return 0;
  };
}

function sortKey(doc: Doc, parts: readonly string[], direction: 1 | -1): unknown {
  let value: unknown = doc;
  for (let at = 0; at < parts.length; at++) {
    if (Array.isArray(value)) return best(collect(value, parts, at), direction);
    const part = parts[at] ?? '';
    value = isDoc(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return Array.isArray(value) ? best(value.length > 0 ? value : [bsonUndefined], direction) : value;
}

function collect(value: unknown, parts: readonly string[], at: number): unknown[] {
  if (at === parts.length) return Array.isArray(value) ? (value.length > 0 ? value : [bsonUndefined]) : [value];
  const part = parts[at] ?? '';
  if (Array.isArray(value)) {
    if (isPosition(part)) return collect(value[Number(part)], parts, at + 1);
    const found = value.flatMap((item) => (isDoc(item) ? collect(item, parts, at) : []));
    return found.length > 0 ? found : [undefined];
  }
  return collect(isDoc(value) && Object.hasOwn(value, part) ? value[part] : undefined, parts, at + 1);
}

function best(values: readonly unknown[], direction: 1 | -1): unknown {
  let found: unknown = values[0];
  for (const value of values) if (compareValues(value, found) * direction < 0) found = value;
  return found;
}
