import { type AnyBulkWriteOperation, type Collection, type Document, type Filter, MongoBulkWriteError } from 'mongodb';
import { isDuplicateKeysOnly } from './duplicate-key.ts';
import { traced } from './traced.ts';

/** A change of one document if it meets the condition, or its beginning where there is none yet. */
export type ConditionalUpsert = { _id: string; condition: Document; update: Document };

/**
 * Upserts documents of one collection in one command; the same document may be among them more than once. Each gives whether it was
 * made: false where a document is there that does not meet the condition, and also where another process has begun it at this very
 * moment. Throws when any of them may not be stored durably.
 */
export async function upsertEach<T extends Document>(
  collection: Collection<T>,
  upserts: readonly ConditionalUpsert[],
): Promise<boolean[]> {
  if (upserts.length === 0) return [];
  const operations = upserts.map(({ _id, condition, update }) => ({
    updateOne: { filter: { _id, ...condition } as unknown as Filter<T>, update, upsert: true },
  })) as unknown as AnyBulkWriteOperation<T>[];
  try {
    await traced('bulkWrite', collection.collectionName, () => collection.bulkWrite(operations, { ordered: false }));
    return upserts.map(() => true);
  } catch (error) {
    // An upsert whose condition does not hold meets the `_id`. Of a cut connection, which has no write errors, nothing is known.
    if (!(error instanceof MongoBulkWriteError) || !isDuplicateKeysOnly(error)) throw error;
    const failed = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
    const taken = new Set(failed.map(({ index }) => index));
    return upserts.map((_, index) => !taken.has(index));
  }
}
