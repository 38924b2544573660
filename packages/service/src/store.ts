import { connectStore, type Due, type DueTimer, type Store, startDueTimer } from '@gerbang/store';
import type { Foundation } from './foundation.ts';

/** What a service with a database is configured by: `storeShape`. */
export type StoreConfig = { MONGODB_URI: string; MONGODB_DB_PREFIX: string };

/** Connects to the service's own database, which is named after it: `gerbang_money_out`. */
export async function openStore({ name, config, closing }: Foundation<StoreConfig>): Promise<Store> {
  const store = await connectStore({
    uri: config.MONGODB_URI,
    database: `${config.MONGODB_DB_PREFIX}${name.replaceAll('-', '_')}`,
    appName: name,
  });
  closing.push('store', () => store.close());
  return store;
}

/** Starts a timer over documents that become due; see `startDueTimer`. `what` names it in the log. */
export async function openTimer<T extends Due & object>(
  { log, closing }: Foundation,
  what: string,
  options: Omit<Parameters<typeof startDueTimer<T>>[0], 'log'>,
): Promise<DueTimer> {
  const timer = await startDueTimer<T>({ ...options, log });
  closing.push(what, () => timer.close());
  return timer;
}
