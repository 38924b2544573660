import type { Logger } from '@gerbang/runtime';
import type { Bus } from './bus.ts';
import { lagOf } from './stream.ts';

const ASK_EVERY_MS = 500;

/** How far the notifier is behind what is published: messages on the service's stream that it has not worked off. */
export type Lag = {
  /** What was heard last, which is at most half a second old while something is published. */
  known(): number;
  /** Asks now. Throws when JetStream does not answer. */
  ask(): Promise<number>;
  /** Tells that something is being published, so that it is worth asking. */
  published(): void;
  close(): void;
};

/** Asks JetStream from time to time, and not at all while nothing is published. */
export function watchLag({ bus, service, log }: { bus: Bus; service: string; log: Logger }): Lag {
  let messages = 0;
  let worthAsking = false;
  const ask = async () => {
    const { manager } = await bus.connected();
    messages = await lagOf(manager, service);
    return messages;
  };
  const asking = setInterval(() => {
    // As long as the notifier is behind, only asking tells when that is over.
    if (!(worthAsking || messages > 0) || !bus.isConnected()) return;
    worthAsking = false;
    ask().catch((error: unknown) => log.debug({ err: error, service }, 'could not ask how far the notifier is'));
  }, ASK_EVERY_MS);
  asking.unref();
  return {
    known: () => messages,
    ask,
    published() {
      worthAsking = true;
    },
    close: () => clearInterval(asking),
  };
}
