import { setTimeout as sleep } from 'node:timers/promises';
import { type Closeable, type Logger, within } from '@gerbang/runtime';
import { connect, type NatsConnection } from '@nats-io/transport-node';

const CONNECT_TIMEOUT_MS = 3_000;
const RETRY_MS = 200;

/** A connection to NATS that is made in the background and made again for ever: a service works without it. */
export type Nats = Closeable & {
  /** Resolves once NATS has been reached for the first time; rejects when it is closed before. */
  reached(): Promise<NatsConnection>;
  isConnected(): boolean;
  /** Calls whenever a lost connection is there again: the server may have another store by then. Returns how to stop that. */
  onReconnect(listener: () => void): () => void;
};

/** Starts to connect to NATS and returns at once. `name` is what the server's own monitoring shows. */
export function openNats(options: { url: string; name: string; log: Logger }): Nats {
  const { log } = options;
  let up = false;
  let closed = false;
  let current: NatsConnection | undefined;
  const listeners = new Set<() => void>();
  const open = async (): Promise<NatsConnection> => {
    const connection = await reach(options, () => closed);
    current = connection;
    if (closed) await connection.close();
    up = true;
    follow(connection).catch((error: unknown) => log.error({ err: error }, 'lost track of the NATS connection'));
    return connection;
  };
  const follow = async (connection: NatsConnection) => {
    for await (const status of connection.status()) {
      if (status.type !== 'disconnect' && status.type !== 'reconnect') continue;
      up = status.type === 'reconnect';
      log.info({ nats: status.type }, 'NATS connection');
      if (up) for (const listener of listeners) listener();
    }
  };
  const opening = open();
  opening.catch((error: unknown) => {
    if (!closed) log.error({ err: error }, 'could not connect to NATS');
  });
  return {
    reached: () => opening,
    isConnected: () => up,
    onReconnect(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      if (current !== undefined && !current.isClosed()) await current.close();
    },
  };
}

/**
 * Tries until NATS answers. The client's own waiting for a first connection is not used: it never ends when the server dies in
 * the middle of the handshake.
 */
async function reach(options: { url: string; name: string; log: Logger }, isClosed: () => boolean): Promise<NatsConnection> {
  for (;;) {
    const connecting = connect({
      servers: options.url,
      name: options.name,
      timeout: CONNECT_TIMEOUT_MS,
      reconnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      reconnectJitter: 100,
      pingInterval: 10_000,
      maxPingOut: 3,
    });
    try {
      return await within(CONNECT_TIMEOUT_MS, connecting);
    } catch (error) {
      // One that comes too late is not needed any more; one that failed has been reported here.
      connecting.then((late) => late.close()).catch(() => {});
      options.log.debug({ err: error }, 'NATS does not answer');
    }
    await sleep(RETRY_MS);
    if (isClosed()) throw new Error('closed before NATS was reached');
  }
}
