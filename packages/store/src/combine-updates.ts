import { type AnyBulkWriteOperation, type Collection, type Document, type Filter, MongoBulkWriteError } from 'mongodb';
import { combine, type Outcome } from './combine.ts';
import { traced } from './traced.ts';

/** An update of one document that is made only if the document is as it was when that was decided. */
export type ConditionalUpdate = {
  _id: string;
  /** What must hold beside the `_id`. */
  condition: Document;
  update: Document;
  /** Whether a document shows this very update as its newest, also where others have tried meanwhile. */
  isMine: (document: Document) => boolean;
};

/**
 * Updates one collection, where updates that concur travel as one command. Each gives whether it has been made; false when its
 * condition no longer held, or when somebody has changed the document since. It throws when the update may not be stored durably.
 */
export function combineUpdates<T extends Document>(collection: Collection<T>): (update: ConditionalUpdate) => Promise<boolean> {
  return combine((updates) => updateEach(collection, updates));
}

async function updateEach<T extends Document>(
  collection: Collection<T>,
  updates: readonly ConditionalUpdate[],
): Promise<Outcome<boolean>[]> {
  const [first] = updates;
  if (first !== undefined && updates.length === 1) {
    const { matchedCount } = await traced('updateOne', collection.collectionName, () =>
      collection.updateOne(filterOf<T>(first), first.update),
    );
    return [{ result: matchedCount === 1 }];
  }
  const { matched, failed } = await updateTogether(collection, updates);
  const made = updates.length - failed.size;
  // The command tells how many have matched, not which: where not all have, the documents tell.
  const stored = matched === made ? undefined : await read(collection, updates);
  return updates.map(({ _id, isMine }, index) => {
    if (failed.has(index)) return { error: failed.get(index) };
    const document = stored?.get(_id);
    return { result: stored === undefined || (document !== undefined && isMine(document)) };
  });
}

/** How many have matched, and which the database has refused. Throws when nothing is known of any, or they may not be durable. */
async function updateTogether<T extends Document>(
  collection: Collection<T>,
  updates: readonly ConditionalUpdate[],
): Promise<{ matched: number; failed: Map<number, Error> }> {
  const operations = updates.map((one) => ({
    updateOne: { filter: filterOf<T>(one), update: one.update },
  })) as unknown as AnyBulkWriteOperation<T>[];
  try {
    const { matchedCount } = await traced('bulkWrite', collection.collectionName, () =>
      collection.bulkWrite(operations, { ordered: false }),
    );
    return { matched: matchedCount, failed: new Map() };
  } catch (error) {
    // The driver wraps a cut connection into the same class, with no write errors at all: then nothing is known.
    if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) throw error;
    const refused = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
    if (refused.length === 0) throw error;
    const failed = new Map(
      refused.map(({ index, errmsg }) => [index, new Error(`an update was refused: ${errmsg}`, { cause: error })]),
    );
    return { matched: error.matchedCount, failed };
  }
}

async function read<T extends Document>(
  collection: Collection<T>,
  updates: readonly ConditionalUpdate[],
): Promise<Map<string, Document>> {
  const filter = { _id: { $in: updates.map(({ _id }) => _id) } } as unknown as Filter<T>;
  const found = await traced('find', collection.collectionName, () => collection.find(filter).toArray());
  return new Map(found.map((document) => [String(document._id), document]));
}

function filterOf<T>({ _id, condition }: ConditionalUpdate): Filter<T> {
  return { _id, ...condition } as unknown as Filter<T>;
}
