import type { Store } from '@gerbang/store';

/**
 * Stands before every command to the database: it may hold it up, fail it before or after it is carried out, or never let it end.
 */
export type Gate = <T>(what: string, command: () => Promise<T>) => Promise<T>;

const COMMANDS = new Set<string | symbol>([
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'bulkWrite',
  'findOne',
  'findOneAndUpdate',
  'countDocuments',
  'toArray',
]);
/** What leads to a cursor, or from one to the next. */
const CURSORS = new Set<string | symbol>(['find', 'sort', 'limit', 'project']);

/** The store whose every command goes through the gate. */
export function gatedStore(store: Store, gate: Gate): Store {
  return { ...store, collection: (name) => gated(store.collection(name), gate) };
}

function gated<T extends object>(target: T, gate: Gate): T {
  return new Proxy(target, {
    get(real, name) {
      const value: unknown = Reflect.get(real, name);
      if (typeof value !== 'function') return value;
      if (name === Symbol.asyncIterator) {
        return async function* () {
          yield* await gate('iterate', async () => value.call(real));
        };
      }
      if (COMMANDS.has(name)) return (...args: unknown[]) => gate(String(name), async () => value.apply(real, args));
      if (CURSORS.has(name)) return (...args: unknown[]) => gated(value.apply(real, args), gate);
      return value.bind(real);
    },
  });
}
