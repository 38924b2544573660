import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Closeable } from './closing.ts';

/** Says whether the service can do its work now: undefined when it can, else why not. */
export type Readiness = () => Promise<string | undefined> | string | undefined;

/** `drain` makes it not ready for good. */
export type Admin = Closeable & { port: number; drain(): void };

/** A fresh registry with the process's own metrics. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Serves /livez, /readyz and /metrics on a port of their own, which no merchant reaches. */
export async function startAdmin(options: { host: string; port: number; metrics: Registry; ready: Readiness }): Promise<Admin> {
  let draining = false;
  const server = createServer((request, response) => {
    const answer = (status: number, text: string, type = 'text/plain') => {
      response.writeHead(status, { 'content-type': type }).end(text);
    };
    const handle = async () => {
      if (request.url === '/livez') return answer(200, 'ok\n');
      if (request.url === '/metrics') return answer(200, await options.metrics.metrics(), options.metrics.contentType);
      if (request.url !== '/readyz') return answer(404, 'not found\n');
      const reason = draining ? 'draining' : await options.ready();
      return reason === undefined ? answer(200, 'ok\n') : answer(503, `${reason}\n`);
    };
    handle().catch((error: unknown) => answer(503, `${error instanceof Error ? error.message : 'error'}\n`));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    drain: () => {
      draining = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
