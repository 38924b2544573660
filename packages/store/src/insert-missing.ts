import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb';
import { combine, type Outcome } from './combine.ts';
import { isDuplicateKey, isDuplicateKeysOnly } from './duplicate-key.ts';
import { traced } from './traced.ts';

/**
 * Inserts the documents that are not there yet, in one write, and returns the ids of those it has inserted; the others were there
 * already. Throws when any of them may not be stored durably.
 */
export async function insertMissing<T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<Set<unknown>> {
  const isInserted = await insertEach(collection, documents);
  return new Set(documents.filter((_, index) => isInserted[index]).map((document) => document._id));
}

/**
 * Inserts into one collection, where inserts that concur travel as one command. Each gives whether the document has been
 * inserted; false when its `_id` is taken. It throws when the document may not be stored durably.
 */
export function combineInserts<T extends Document>(
  collection: Collection<T>,
): (document: OptionalUnlessRequiredId<T>) => Promise<boolean> {
  return combine(async (documents): Promise<Outcome<boolean>[]> => {
    const isInserted = await insertEach(collection, documents);
    return isInserted.map((result) => ({ result }));
  });
}

/** Whether each of the documents has been inserted; the others were there already. */
async function insertEach<T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<boolean[]> {
  const [first] = documents;
  if (first === undefined) return [];
  if (documents.length === 1) return [await insertOne(collection, first)];
  try {
    await traced('insertMany', collection.collectionName, () => collection.insertMany(documents, { ordered: false }));
    return documents.map(() => true);
  } catch (error) {
    // The driver wraps a cut connection into the same class, with no write errors at all: then nothing is known.
    if (!(error instanceof MongoBulkWriteError) || !isDuplicateKeysOnly(error)) throw error;
    const failed = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
    const taken = new Set(failed.map((write) => write.index));
    return documents.map((_, index) => !taken.has(index));
  }
}

async function insertOne<T extends Document>(collection: Collection<T>, document: OptionalUnlessRequiredId<T>): Promise<boolean> {
  try {
    await traced('insertOne', collection.collectionName, () => collection.insertOne(document));
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
