import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, type Readiness, startAdmin } from '@gerbang/runtime';
import type { CommonConfig, Foundation } from './foundation.ts';

/**
 * Starts /livez, /readyz and /metrics. A service that closes is not ready any more, and goes on for DRAIN_DELAY_MS before anything
 * of it is closed: by then all balancers have turned to others. So these are opened last.
 */
export async function startProbes(foundation: Foundation<CommonConfig>, ready: Readiness): Promise<Admin> {
  const { config, registry, closing, draining } = foundation;
  const admin = await startAdmin({ host: config.ADMIN_HOST, port: config.ADMIN_PORT, metrics: registry, ready });
  closing.push('admin', async () => {
    admin.drain();
    draining.abort();
    if (config.DRAIN_DELAY_MS > 0) await sleep(config.DRAIN_DELAY_MS);
    await admin.close();
  });
  return admin;
}

/** Readiness of a service that needs only its database. */
export function answers(store: { ping(): Promise<void> }): Readiness {
  return async () => {
    await store.ping();
    return undefined;
  };
}

/** What is needed of a fastify app. */
export type HttpApp = {
  server: Server;
  listen(address: { host: string; port: number }): Promise<string>;
  close(): PromiseLike<unknown>;
};

/** Has an HTTP app listen. `name` is what the log calls it when it can't be closed. Gives its URL, without a slash at the end. */
export async function listenHttp(
  { closing }: Foundation,
  name: string,
  app: HttpApp,
  address: { host: string; port: number },
): Promise<string> {
  closing.push(name, async () => {
    await app.close();
  });
  await app.listen(address);
  const bound = app.server.address();
  if (bound === null || typeof bound === 'string') throw new Error(`${name} listens on no TCP port`);
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}
