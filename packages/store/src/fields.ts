import type { Collection, Filter } from 'mongodb';
import type { Store } from './connection.ts';
import { traced } from './traced.ts';

/** A document that can be walked to by its `_id`. */
export type Walked = { _id: string | number };

/** A field's new value, to be written where it still has the old one. */
export type FieldChange = { id: string | number; path: string; from: unknown; to: unknown };

/** A page of a collection in the order of `_id`, after an `_id`, with these fields only. */
export async function readPageById<T extends Walked>(
  store: Store,
  name: string,
  { after, paths, limit }: { after: string | number | undefined; paths: readonly string[]; limit: number },
): Promise<T[]> {
  const collection = store.collection<T>(name);
  const filter = (after === undefined ? {} : { _id: { $gt: after } }) as Filter<T>;
  const projection = Object.fromEntries(paths.map((path) => [path, 1]));
  const found = await traced('find', name, () => collection.find(filter, { projection, sort: { _id: 1 }, limit }).toArray());
  // The driver's type of a found document says again that it has an `_id`.
  return found as unknown as T[];
}

/** Makes each change whose field still has its old value, and no other; answers how many it has made. */
export async function changeFields(store: Store, name: string, changes: readonly FieldChange[]): Promise<number> {
  if (changes.length === 0) return 0;
  const collection: Collection<{ _id: string | number; [path: string]: unknown }> = store.collection(name);
  const operations = changes.map(({ id, path, from, to }) => ({
    updateOne: { filter: { _id: id, [path]: from }, update: { $set: { [path]: to } } },
  }));
  const { modifiedCount } = await traced('bulkWrite', name, () => collection.bulkWrite(operations, { ordered: false }));
  return modifiedCount;
}
