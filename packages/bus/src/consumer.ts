import { setTimeout as sleep } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { type EventBatch, EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import type { Closeable, Logger } from '@gerbang/runtime';
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Bus } from './bus.ts';
import { ensureConsumer, ensureStream, isConsumerSound, streamOf } from './stream.ts';

const RETRY_MS = 500;
/** How often it is asked whether the consumer is still there and stands within its stream; neither makes itself felt in silence. */
const WATCH_MS = 3_000;
const HEARTBEAT_MS = 5_000;
/** Messages handed out and not acknowledged, in batches: what the process holds in memory, and that again for a process that has died. */
const BATCHES_HELD = 4;
/** A message that was in failed batches so often is handled alone, so that it fails no others. */
const COMPANY_TRIES = 3;
const RETRY_MESSAGE_MS = 1_000;
/** One that fails alone comes again after this. */
const RETRY_LONE_MS = 10_000;

/** A message as it came: parsed, or the bytes of one that cannot be read, which must not stop the others. */
export type Received = { batch: EventBatch } | { unreadable: Uint8Array; subject: string };

type Options = {
  bus: Bus;
  service: string;
  durable: string;
  batchMax: number;
  log: Logger;
  handle: (messages: Received[]) => Promise<void>;
};

/**
 * Consumes a service's stream under a durable name. What arrives while the handler runs is handed over together (up to `batchMax`), so that a busy
 * consumer makes fewer round trips; a lone message waits for nothing. A message is acknowledged after the handler is done; when it throws, all of
 * them come again, in the end each alone. Streams and consumers that have vanished, or that stand elsewhere than they did, are made anew.
 */
export function consume(options: Options): Closeable {
  const { bus, service, log } = options;
  const closing = new AbortController();
  const closed = () => closing.signal.aborted;
  const batches = createBatches(options);
  let current: ConsumerMessages | undefined;
  /** Told of once, and again when it is over. */
  let interrupted = false;

  const interrupt = (reason: object) => {
    if (closed()) return;
    if (!interrupted) log.warn({ service, ...reason }, 'the consumer is interrupted; it begins again by itself');
    interrupted = true;
  };
  const follow = async () => {
    // NATS may never be reached; closing must not wait for it.
    await Promise.race([bus.connected().catch(() => {}), aborted(closing.signal)]);
    while (!closed()) {
      try {
        current = await open(options);
        // The client ends it within its iteration; what was never iterated would never be closed.
        if (closed()) current.stop();
        else if (interrupted) log.info({ service }, 'the consumer goes on');
        interrupted = false;
        for await (const message of current) batches.accept(message);
      } catch (error) {
        interrupt({ err: error });
        await sleep(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
    await current?.close();
  };
  const watch = async () => {
    if (current === undefined || !bus.isConnected()) return;
    const { manager } = await bus.connected();
    if (await isConsumerSound(manager, service, options.durable)) return;
    interrupt({ reason: 'the stream or the consumer has vanished, or an older store was restored' });
    await current.close();
  };
  const watching = setInterval(() => {
    watch().catch((error: unknown) => log.debug({ err: error, service }, 'could not look after the consumer'));
  }, WATCH_MS);
  // The server may have been started with another store, and what was pulled before is forgotten there.
  const stopListening = bus.onReconnect(() => void current?.close());
  const following = follow();
  return {
    async close() {
      closing.abort();
      clearInterval(watching);
      stopListening();
      await current?.close();
      await following;
      await batches.idle();
    },
  };
}

async function open({ bus, service, durable, batchMax }: Options): Promise<ConsumerMessages> {
  const { jetstream, manager } = await bus.connected();
  await ensureStream(manager, service, 1);
  await ensureConsumer(manager, { service, durable, unacknowledgedMax: batchMax * BATCHES_HELD });
  const consumer = await jetstream.consumers.get(streamOf(service).name, durable);
  return consumer.consume({ max_messages: batchMax * 2, idle_heartbeat: HEARTBEAT_MS, abort_on_missing_resource: true });
}

/** Hands messages over one batch at a time, and acknowledges them. */
function createBatches({ batchMax, log, handle }: Options): { accept(message: JsMsg): void; idle(): Promise<void> } {
  const waiting: JsMsg[] = [];
  let handling = Promise.resolve();
  let busy = false;

  const take = async (messages: readonly JsMsg[], retryMs: number) => {
    try {
      await handle(messages.map(receive));
      for (const message of messages) message.ack();
    } catch (error) {
      log.warn({ err: error, messages: messages.length }, 'could not handle events; they will come again');
      for (const message of messages) message.nak(retryMs);
    }
  };
  const handOver = async () => {
    busy = true;
    while (waiting.length > 0) {
      const messages = waiting.splice(0, batchMax);
      const suspects = messages.filter(({ info }) => info.deliveryCount > COMPANY_TRIES);
      const others = messages.filter(({ info }) => info.deliveryCount <= COMPANY_TRIES);
      if (others.length > 0) await take(others, RETRY_MESSAGE_MS);
      for (const suspect of suspects) await take([suspect], RETRY_LONE_MS);
    }
    busy = false;
  };
  return {
    accept(message) {
      waiting.push(message);
      if (!busy) handling = handOver();
    },
    idle: () => handling,
  };
}

function receive(message: JsMsg): Received {
  try {
    return { batch: fromBinary(EventBatchSchema, message.data) };
  } catch {
    return { unreadable: message.data, subject: message.subject };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
