import { withSpan } from '@gerbang/runtime';

/** Runs one database operation within a span of its own; the span names the collection, never a value. */
export function traced<T>(operation: string, collection: string, work: () => Promise<T>): Promise<T> {
  return withSpan(
    `mongodb ${operation} ${collection}`,
    {
      kind: 'CLIENT',
      attributes: { 'db.system.name': 'mongodb', 'db.operation.name': operation, 'db.collection.name': collection },
    },
    work,
  );
}
