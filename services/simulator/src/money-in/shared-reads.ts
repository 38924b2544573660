/** More than this at once wait for another read. */
const BATCH_MAX = 200;

/** Reads a document by its id; undefined where there is none. */
export type ReadById<T> = (id: string) => Promise<T | undefined>;

/**
 * Those who ask while a read is under way share the next one: a gateway that asks about thousands of payments at once costs a
 * read for many of them.
 */
export function shareReads<T extends { _id: string }>(readMany: (ids: string[]) => Promise<T[]>): ReadById<T> {
  let waiting: { id: string; answer: PromiseWithResolvers<T | undefined> }[] = [];
  let busy = false;

  const readAll = async () => {
    busy = true;
    while (waiting.length > 0) {
      const served = waiting.slice(0, BATCH_MAX);
      waiting = waiting.slice(BATCH_MAX);
      try {
        const found = await readMany(served.map(({ id }) => id));
        const byId = new Map(found.map((document) => [document._id, document]));
        for (const { id, answer } of served) answer.resolve(byId.get(id));
      } catch (error) {
        for (const { answer } of served) answer.reject(error);
      }
    }
    busy = false;
  };
  return (id) => {
    const answer = Promise.withResolvers<T | undefined>();
    waiting.push({ id, answer });
    if (!busy) void readAll();
    return answer.promise;
  };
}
