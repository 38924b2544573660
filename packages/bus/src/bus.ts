import { setTimeout as sleep } from 'node:timers/promises';
import { type Closeable, type Logger, within } from '@gerbang/runtime';
import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { connect, type NatsConnection, nanos } from '@nats-io/transport-node';

/** Events stay this long on the stream; what is not confirmed by then is published again from its aggregate (architecture §3). */
const MAX_AGE_MS = 7 * 24 * 3_600_000;
const MAX_BYTES = 1024 * 1024 * 1024;

const CONNECT_TIMEOUT_MS = 3_000;
/** A question that got lost with a connection is asked again after this. */
const REQUEST_TIMEOUT_MS = 2_000;
const RETRY_MS = 200;

/** What publishers and consumers work with once NATS has been reached. */
export type Connected = { connection: NatsConnection; jetstream: JetStreamClient; manager: JetStreamManager };

/** A connection to NATS that is made in the background and made again for ever: a service works without it, its events wait in their tails. */
export type Bus = Closeable & {
  /** Resolves once NATS has been reached for the first time. */
  connected(): Promise<Connected>;
  isConnected(): boolean;
};

/** Starts to connect to NATS and returns at once. */
export function openBus(options: { url: string; name: string; log: Logger }): Bus {
  const { log } = options;
  let up = false;
  let closed = false;
  let current: NatsConnection | undefined;
  const open = async (): Promise<Connected> => {
    const connection = await reach(options, () => closed);
    current = connection;
    if (closed) await connection.close();
    up = true;
    follow(connection).catch((error: unknown) => log.error({ err: error }, 'lost track of the NATS connection'));
    return {
      connection,
      jetstream: jetstream(connection),
      manager: await jetstreamManager(connection, { checkAPI: false, timeout: REQUEST_TIMEOUT_MS }),
    };
  };
  const follow = async (connection: NatsConnection) => {
    for await (const status of connection.status()) {
      if (status.type !== 'disconnect' && status.type !== 'reconnect') continue;
      up = status.type === 'reconnect';
      log.info({ nats: status.type }, 'NATS connection');
    }
  };
  const opening = open();
  opening.catch((error: unknown) => {
    if (!closed) log.error({ err: error }, 'could not connect to NATS');
  });
  return {
    connected: () => opening,
    isConnected: () => up,
    async close() {
      closed = true;
      if (current !== undefined && !current.isClosed()) await current.close();
    },
  };
}

/**
 * Tries until NATS answers. The client's own waiting for a first connection is not used: it never ends when the server dies in the middle of the
 * handshake.
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
      // One that comes too late is not needed any more; one that failed has been told of here.
      connecting.then((late) => late.close()).catch(() => {});
      options.log.debug({ err: error }, 'NATS does not answer');
    }
    await sleep(RETRY_MS);
    if (isClosed()) throw new Error('closed before NATS was reached');
  }
}

/** The name of a service's stream, and the subjects on it. */
export function streamOf(service: string): { name: string; subjects: string } {
  return { name: `gerbang-${service}`, subjects: `gerbang.${service}.>` };
}

/** Makes sure the service's stream is there as configured: one stream a service, on file, bounded by age and size. */
export async function ensureStream(manager: JetStreamManager, service: string, replicas: number): Promise<void> {
  const { name, subjects } = streamOf(service);
  const config = {
    name,
    subjects: [subjects],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    max_age: nanos(MAX_AGE_MS),
    max_bytes: MAX_BYTES,
    num_replicas: replicas,
  };
  const known = await manager.streams.info(name).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
  if (!known) await manager.streams.add(config);
}

/** Whether JetStream answered that there is no such stream or consumer. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && /not found/i.test(error.message);
}
