import { prepareQuery } from '../query/find.ts';
import type { Store } from './store.ts';

/** How many documents one pass removes per index, so that requests are not held up. */
const removedMax = 5000;

/** Removes documents whose date in a TTL index has passed. */
export function expireDocuments(store: Store, now: Date): void {
  for (const collection of store.allCollections()) {
    for (const index of collection.indexes) {
      const seconds = index.spec.expireAfterSeconds;
      const [field] = index.fields;
      if (seconds === undefined || !field) continue;
      const before = new Date(now.getTime() - Number(seconds) * 1000);
      const filter = { $and: [index.spec.partialFilterExpression ?? {}, { [field.path]: { $lt: before } }] };
      const expired = [...prepareQuery(collection, { filter, limit: removedMax, variables: {} }).run()];
      if (expired.length > 0) store.commits.write();
      for (const one of expired) collection.remove(one);
    }
  }
}
