import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';
import { isDuplicateKeysOnly } from './duplicate-key.ts';
import { traced } from './traced.ts';

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
    // The driver wraps a cut connection into the same class, with no write errors at all: then nothing is known.
    if (!(error instanceof MongoBulkWriteError) || !isDuplicateKeysOnly(error)) throw error;
    const failed = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
    const taken = new Set(failed.map((write) => write.index));
    return new Set(ids.filter((_, index) => !taken.has(index)));
  }
}
