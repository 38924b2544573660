import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';
import { traced } from './traced.ts';

const DUPLICATE_KEY = 11_000;

/**
 * Inserts the documents that are not there yet, in one write, and returns the ids of those it has inserted; the others were there already.
 * Throws when any of them may not be stored durably.
 */
export async function insertMissing<T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<Set<unknown>> {
  const ids = documents.map((document) => document._id);
  if (ids.length === 0) return new Set();
  try {
    await traced('insertMany', collection.collectionName, () => collection.insertMany(documents, { ordered: false }));
    return new Set(ids);
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) throw error;
    const failed = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
    if (failed.some((write) => write.code !== DUPLICATE_KEY)) throw error;
    const taken = new Set(failed.map((write) => write.index));
    return new Set(ids.filter((_, index) => !taken.has(index)));
  }
}
