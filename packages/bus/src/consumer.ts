import { setTimeout as sleep } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { type EventBatch, EventBatchSchema } from '@gerbang/proto/gerbang/events/v1/events';
import type { Closeable, Logger } from '@gerbang/runtime';
import { AckPolicy, DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { type Bus, ensureStream, streamOf } from './bus.ts';

const ACK_WAIT_MS = 30_000;
const RETRY_MS = 500;

/** A message as it came: parsed, or the bytes of one that cannot be read, which must not stop the others. */
export type Received = { batch: EventBatch } | { unreadable: Uint8Array; subject: string };

/**
 * Consumes a service's stream under a durable name. What arrives while the handler runs is handed over together (up to `batchMax`), so that a busy
 * consumer makes fewer round trips; a lone message waits for nothing. A message is acknowledged after the handler is done; when it throws, all of
 * them come again. Streams and consumers that have vanished are made anew.
 */
export function consume(options: {
  bus: Bus;
  service: string;
  durable: string;
  batchMax: number;
  log: Logger;
  handle: (messages: Received[]) => Promise<void>;
}): Closeable {
  const { bus, log } = options;
  let closed = false;
  const closing = Promise.withResolvers<void>();
  let current: { close(): Promise<unknown> } | undefined;
  const waiting: JsMsg[] = [];
  let handling = Promise.resolve();
  let busy = false;

  const handOver = async () => {
    busy = true;
    while (waiting.length > 0) {
      const messages = waiting.splice(0, options.batchMax);
      try {
        await options.handle(messages.map(receive));
        for (const message of messages) message.ack();
      } catch (error) {
        log.warn({ err: error, messages: messages.length }, 'could not handle events; they will come again');
        for (const message of messages) message.nak(1_000);
      }
    }
    busy = false;
  };
  const accept = (message: JsMsg) => {
    waiting.push(message);
    if (!busy) handling = handOver();
  };

  const follow = async () => {
    // NATS may never be reached; closing must not wait for it.
    await Promise.race([bus.connected().catch(() => {}), closing.promise]);
    while (!closed) {
      try {
        const consumer = await openConsumer(bus, options.service, options.durable, options.batchMax);
        const messages = await consumer.consume({
          max_messages: options.batchMax * 2,
          idle_heartbeat: 5_000,
          abort_on_missing_resource: true,
        });
        current = messages;
        if (closed) await messages.close();
        for await (const message of messages) accept(message);
      } catch (error) {
        if (!closed) log.warn({ err: error, service: options.service }, 'the consumer stopped; it starts again');
      }
      if (!closed) await sleep(RETRY_MS);
    }
  };
  const following = follow();
  return {
    async close() {
      closed = true;
      closing.resolve();
      await current?.close();
      await following;
      await handling;
    },
  };
}

async function openConsumer(bus: Bus, service: string, durable: string, batchMax: number) {
  const { jetstream, manager } = await bus.connected();
  await ensureStream(manager, service, 1);
  const { name } = streamOf(service);
  const config = {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: batchMax * 4,
  };
  await manager.consumers.add(name, config);
  return jetstream.consumers.get(name, durable);
}

function receive(message: JsMsg): Received {
  try {
    return { batch: fromBinary(EventBatchSchema, message.data) };
  } catch {
    return { unreadable: message.data, subject: message.subject };
  }
}
