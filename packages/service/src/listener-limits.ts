import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter, createPermits, networkOf, type Registry } from '@gerbang/runtime';

/** How often a listener looks for connections whose time is over: they are closed at most this much late. */
const CHECK_INTERVAL_MS = 1_000;
/** A connection on which nothing moves for so long is closed: longer than any answer takes, and than an idle one is kept. */
const SILENCE_MS = 90_000;

/** How long a request may take to arrive. */
export type Timeouts = { HEADERS_TIMEOUT_MS: number; REQUEST_TIMEOUT_MS: number };

/**
 * What a fastify app is made with, so that senders are closed who take longer than HEADERS_TIMEOUT_MS for a request's head, or
 * REQUEST_TIMEOUT_MS for all of it; and readers who take nothing of their answer. Node only looks every
 * `connectionsCheckingInterval`, by default 30 s.
 */
export function timeoutsOf({ HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS }: Timeouts) {
  const http = {
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS),
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  };
  return { requestTimeout: REQUEST_TIMEOUT_MS, connectionTimeout: SILENCE_MS, http };
}

/** Makes an answer to a malformed or slow request the connection's end, also where the other side does not close its own. */
export function closingAfter<E extends Error>(answer: (error: E, socket: Socket) => void): (error: E, socket: Socket) => void {
  return (error, socket) => {
    answer(error, socket);
    socket.destroySoon();
  };
}

/** What a process allows to all replicas, as one of them enforces it: rounded up, so that each allows something. */
export function shareOf(limit: number, { REPLICAS }: { REPLICAS: number }): number {
  return Math.ceil(limit / REPLICAS);
}

/** Counts what limits have refused; `listener` and `reason` are names of ours. */
export type LimitMetrics = { refused(listener: string, reason: string): void };

export function createLimitMetrics(registry: Registry): LimitMetrics {
  const refusals = new Counter({
    name: 'gerbang_limit_refusals_total',
    help: 'Connections and requests refused so that one caller does not starve the others',
    labelNames: ['listener', 'reason'],
    registers: [registry],
  });
  return { refused: (listener, reason) => refusals.inc({ listener, reason }) };
}

/**
 * Bounds the connections of a listener: of all together and of each address (a /64 of IPv6). Those beyond are closed at once.
 * Trusted proxies are exempt: they carry others' requests, and have limits of their own.
 */
export function boundConnections(
  server: Server,
  options: {
    listener: string;
    config: { CONNECTIONS_MAX: number; CONNECTIONS_ADDRESS_MAX: number };
    isTrusted: (peer: Socket) => boolean;
    metrics: LimitMetrics;
  },
): void {
  const { listener, config, isTrusted, metrics } = options;
  const permits = createPermits({ max: config.CONNECTIONS_MAX, keyMax: config.CONNECTIONS_ADDRESS_MAX });
  server.on('connection', (socket: Socket) => {
    if (isTrusted(socket)) return;
    const network = networkOf(socket.remoteAddress ?? '');
    const refused = permits.take(network);
    if (refused === undefined) {
      socket.once('close', () => permits.give(network));
      return;
    }
    metrics.refused(listener, refused === 'all' ? 'connections' : 'connections of an address');
    socket.destroy();
  });
}
