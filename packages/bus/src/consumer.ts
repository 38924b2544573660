import { setTimeout as sleep } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { type EventBatch, EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import { type Closeable, type LogFields, type Logger, within } from '@gerbang/runtime';
import type { Msg } from '@nats-io/transport-node';
import type { Bus, Connected } from './bus.ts';
import { ack, deliveryCountOf, nak, type Pull, pull } from './pull.ts';
import { ACK_WAIT_MS, ensureConsumer, ensureStream, isConsumerSound, streamOf } from './stream.ts';

const RETRY_MS = 500;
/**
 * How often it is asked whether the consumer is still there and stands within its stream; neither makes itself felt in silence.
 */
const WATCH_MS = 3_000;
/**
 * Messages handed out and not acknowledged, in batches: what the process holds in memory, and that again for a process that has
 * died.
 */
const BATCHES_HELD = 4;
/** A message that was in failed batches so often is handled alone, so that it fails no others. */
const COMPANY_TRIES = 3;
const RETRY_MESSAGE_MS = 1_000;
/** One that fails alone comes again after this. */
const RETRY_LONE_MS = 10_000;
/** Closing waits no longer than this for NATS, which may be gone. */
const FAREWELL_MS = 1_000;

/** A message as it came: parsed, or the bytes of one that cannot be read, which must not stop the others. */
export type Received = { batch: EventBatch } | { unreadable: Uint8Array; subject: string };

type Options = {
  bus: Bus;
  service: string;
  durable: string;
  batchMax: number;
  /** See ACK_WAIT_MS, the default. */
  ackWaitMs?: number | undefined;
  log: Logger;
  handle: (messages: Received[]) => Promise<void>;
};

/**
 * Consumes a service's stream under a durable name. What arrives while the handler runs is handed over together (up to
 * `batchMax`), so that a busy consumer makes fewer round trips; a lone message waits for nothing. A message is acknowledged after
 * the handler is done; when it throws, all of them come again, in the end each alone. Streams and consumers that have vanished,
 * or that stand elsewhere than they did, are made anew. Closing takes what is on its way, waits for the handler and gives back
 * what was not handed over to it, which somebody else gets at once.
 */
export function consume(options: Options): Closeable {
  const { bus, service, log } = options;
  const closing = new AbortController();
  const closed = () => closing.signal.aborted;
  const batches = createBatches(options);
  let current: Pull | undefined;
  /** Told of once, and again when it is over. */
  let interrupted = false;

  const interrupt = (reason: LogFields) => {
    if (closed()) return;
    if (!interrupted) log.warn({ service, ...reason }, 'the consumer is interrupted; it begins again by itself');
    interrupted = true;
  };
  const follow = async () => {
    // NATS may never be reached; closing must not wait for it.
    await Promise.race([bus.connected().catch(() => {}), aborted(closing.signal)]);
    while (!closed()) {
      try {
        const { connection } = await prepare(options);
        if (closed()) return;
        current = pull(connection, {
          stream: streamOf(service).name,
          durable: options.durable,
          batch: options.batchMax * 2,
          inboxPrefix: bus.inboxPrefix,
          accept: batches.accept,
        });
        if (interrupted) log.info({ service }, 'the consumer goes on');
        interrupted = false;
        await current.over;
      } catch (error) {
        interrupt({ err: error });
        await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  };
  const watch = async () => {
    if (current === undefined || !bus.isConnected()) return;
    const { manager } = await bus.connected();
    if (await isConsumerSound(manager, service, options.durable)) return;
    interrupt({ reason: 'the stream or the consumer has vanished, or an older store was restored' });
    current.cut();
  };
  const watching = setInterval(() => {
    watch().catch((error: unknown) => log.debug({ err: error, service }, 'could not look after the consumer'));
  }, WATCH_MS);
  // The server may have been started with another store, and what was pulled before is forgotten there.
  const stopListening = bus.onReconnect(() => current?.cut());
  const following = follow();
  const heard = (answer: Promise<void>): Promise<boolean> =>
    within(FAREWELL_MS, answer).then(
      () => true,
      (error: unknown) => {
        log.debug({ err: error, service }, 'NATS is gone while the consumer closes; what it has handed out comes again');
        return false;
      },
    );
  return {
    async close() {
      closing.abort();
      clearInterval(watching);
      stopListening();
      current?.end();
      const answers = bus.isConnected() && (await heard(following));
      current?.cut();
      await batches.end();
      if (answers) await heard(bus.connected().then(({ connection }) => connection.flush()));
    },
  };
}

async function prepare({ bus, service, durable, batchMax, ackWaitMs = ACK_WAIT_MS }: Options): Promise<Connected> {
  const connected = await bus.connected();
  await ensureStream(connected.manager, service, bus.streamReplicas);
  await ensureConsumer(connected.manager, { service, durable, unacknowledgedMax: batchMax * BATCHES_HELD, ackWaitMs });
  return connected;
}

/**
 * Hands messages over one batch at a time, and acknowledges them. `end` gives back at once what is not begun, and resolves when
 * the rest is done.
 */
function createBatches({ batchMax, log, handle }: Options): { accept(message: Msg): void; end(): Promise<void> } {
  const waiting: Msg[] = [];
  let handling = Promise.resolve();
  let busy = false;
  let ended = false;

  const take = async (messages: readonly Msg[], retryMs: number) => {
    try {
      await handle(messages.map(receive));
      for (const message of messages) ack(message);
    } catch (error) {
      log.warn({ err: error, messages: messages.length }, 'could not handle events; they will come again');
      for (const message of messages) nak(message, retryMs);
    }
  };
  const handOver = async () => {
    busy = true;
    while (waiting.length > 0 && !ended) {
      const messages = waiting.splice(0, batchMax);
      const byCompany = Map.groupBy(messages, (message) => deliveryCountOf(message) <= COMPANY_TRIES);
      const others = byCompany.get(true);
      if (others !== undefined) await take(others, RETRY_MESSAGE_MS);
      for (const suspect of byCompany.get(false) ?? []) {
        if (ended) nak(suspect);
        else await take([suspect], RETRY_LONE_MS);
      }
    }
    busy = false;
  };
  return {
    accept(message) {
      waiting.push(message);
      if (!busy) handling = handOver();
    },
    end() {
      ended = true;
      for (const message of waiting.splice(0)) nak(message);
      return handling;
    },
  };
}

function receive(message: Msg): Received {
  try {
    return { batch: fromBinary(EventBatchSchema, message.data) };
  } catch {
    return { unreadable: message.data, subject: message.subject };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
