import type { Closeable, Logger } from '@gerbang/runtime';
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

/** A connection to NATS that reconnects for ever. */
export type Bus = Closeable & {
  connection: NatsConnection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
  isConnected(): boolean;
};

/** Connects to NATS; waits for it when it is not there yet. */
export async function connectBus(options: { url: string; name: string; log: Logger }): Promise<Bus> {
  const connection = await connect({
    servers: options.url,
    name: options.name,
    waitOnFirstConnect: true,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 3,
  });
  let connected = true;
  (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') connected = false;
      if (status.type === 'reconnect') connected = true;
      if (status.type === 'disconnect' || status.type === 'reconnect') options.log.info({ nats: status.type }, 'NATS connection');
    }
  })().catch((error: unknown) => options.log.error({ err: error }, 'lost track of the NATS connection'));
  const manager = await jetstreamManager(connection, { checkAPI: false });
  return {
    connection,
    jetstream: jetstream(connection),
    manager,
    isConnected: () => connected && !connection.isClosed(),
    close: async () => {
      if (!connection.isClosed()) await connection.close();
    },
  };
}

/** The name of a service's stream, and the subjects on it. */
export function streamOf(service: string): { name: string; subjects: string } {
  return { name: `gerbang-${service}`, subjects: `gerbang.${service}.>` };
}

/** Makes sure the service's stream is there as configured: one stream a service, on file, bounded by age and size. */
export async function ensureStream(bus: Bus, service: string, replicas: number): Promise<void> {
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
  const known = await bus.manager.streams.info(name).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
  if (!known) await bus.manager.streams.add(config);
}

/** Whether JetStream answered that there is no such stream or consumer. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && /not found/i.test(error.message);
}
