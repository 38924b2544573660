import type { Logger } from '@gerbang/runtime';
import {
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { type Nats, openNats } from './nats.ts';

/** Events stay this long on the stream; what is not confirmed by then is published again from its aggregate (architecture §3). */
const MAX_AGE_MS = 7 * 24 * 3_600_000;
const MAX_BYTES = 1024 * 1024 * 1024;

/** A question that got lost with a connection is asked again after this. */
const REQUEST_TIMEOUT_MS = 2_000;

/** What publishers and consumers work with once NATS has been reached. */
export type Connected = { connection: NatsConnection; jetstream: JetStreamClient; manager: JetStreamManager };

/** The way to JetStream: a service works without it, its events wait in their tails. */
export type Bus = Nats & {
  /** Resolves once NATS has been reached for the first time. */
  connected(): Promise<Connected>;
};

/** Starts to connect to NATS and returns at once. */
export function openBus(options: { url: string; name: string; log: Logger }): Bus {
  const nats = openNats(options);
  const open = async (): Promise<Connected> => {
    const connection = await nats.reached();
    return {
      connection,
      jetstream: jetstream(connection),
      manager: await jetstreamManager(connection, { checkAPI: false, timeout: REQUEST_TIMEOUT_MS }),
    };
  };
  const opening = open();
  // Whoever waits for it is told; that NATS could not be reached has been logged.
  opening.catch(() => {});
  return { ...nats, connected: () => opening };
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
