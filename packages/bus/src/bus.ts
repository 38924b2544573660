import type { Logger } from '@gerbang/runtime';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { NatsAccess } from './access.ts';
import { type Nats, openNats } from './nats.ts';

/** A question that got lost with a connection is asked again after this. */
const REQUEST_TIMEOUT_MS = 2_000;

/** What publishers and consumers work with once NATS has been reached. */
export type Connected = { connection: NatsConnection; manager: JetStreamManager };

/** The way to JetStream: a service works without it, its events wait in their tails. */
export type Bus = Nats & {
  /** Resolves once NATS has been reached for the first time. */
  connected(): Promise<Connected>;
  /** How many servers keep each stream. */
  streamReplicas: number;
};

/** Starts to connect to NATS and returns at once. `streamReplicas` is 1 unless given. */
export function openBus(options: { access: NatsAccess; name: string; log: Logger; streamReplicas?: number }): Bus {
  const nats = openNats(options);
  const open = async (): Promise<Connected> => {
    const connection = await nats.reached();
    return {
      connection,
      manager: await jetstreamManager(connection, { checkAPI: false, timeout: REQUEST_TIMEOUT_MS }),
    };
  };
  const opening = open();
  // Callers that wait for it get the error; that NATS could not be reached has been logged.
  opening.catch(() => {});
  return { ...nats, connected: () => opening, streamReplicas: options.streamReplicas ?? 1 };
}
