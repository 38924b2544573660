import { setTimeout as sleep } from 'node:timers/promises';
import { type Closeable, type Logger, within } from '@gerbang/runtime';
import { AuthorizationError, connect, type NatsConnection } from '@nats-io/transport-node';
import { inboxPrefixOf, type NatsAccess } from './access.ts';

export { accessFromConfig, type BusConfig, type NatsAccess } from './access.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const RETRY_MS = 200;
/** Services and NATS start together: operators are told of a connection that fails so often. */
const TELL_AFTER = 25;

/** A connection to NATS that is made in the background and made again for ever: a service works without it. */
export type Nats = Closeable & {
  /** Resolves once NATS has been reached for the first time; rejects when it is closed before. */
  reached(): Promise<NatsConnection>;
  isConnected(): boolean;
  /** What the subjects of answers begin with; the service's user may subscribe to no others. */
  inboxPrefix: string;
  /** Calls whenever a lost connection is there again: the server may have another store by then. Returns how to stop that. */
  onReconnect(listener: () => void): () => void;
};

/** The name is what the server's own monitoring shows, and that of the service. */
type Options = { access: NatsAccess; name: string; log: Logger };

/** Starts to connect to NATS and returns at once. */
export function openNats(options: Options): Nats {
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
    inboxPrefix: inboxPrefixOf(options.name),
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
async function reach(options: Options, isClosed: () => boolean): Promise<NatsConnection> {
  const { log } = options;
  let failures = 0;
  for (;;) {
    const connecting = connect({
      ...options.access,
      inboxPrefix: inboxPrefixOf(options.name),
      name: options.name,
      timeout: CONNECT_TIMEOUT_MS,
      reconnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      reconnectJitter: 100,
      pingInterval: 10_000,
      maxPingOut: 3,
      // A password that is being changed here and there is wrong for a while only.
      ignoreAuthErrorAbort: true,
    });
    try {
      return await within(CONNECT_TIMEOUT_MS, connecting);
    } catch (error) {
      // One that comes too late is not needed any more; one that failed has been reported here.
      connecting.then((late) => late.close()).catch(() => {});
      failures++;
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof AuthorizationError && failures === 1) log.error({ reason }, 'NATS refuses the user of this service');
      else if (failures === TELL_AFTER) log.warn({ reason }, 'NATS cannot be reached');
      else log.debug({ reason }, 'NATS does not answer');
    }
    await sleep(RETRY_MS);
    if (isClosed()) throw new Error('closed before NATS was reached');
  }
}
