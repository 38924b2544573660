import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';

/** A stream is a way, no archive: what leaves it unconfirmed is published again from its aggregate (architecture §3). */
const MAX_AGE_MS = 24 * 3_600_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** A message that was handed out and not acknowledged, because its consumer has died, is handed out again after this. */
export const ACK_WAIT_MS = 10_000;
/** A consumer that is made begins with what was published this long before; what is older and unconfirmed is published again. */
const BEGIN_BEFORE_MS = 60_000;

/** The durable consumer that confirms events: the notifier. All others take events as hints. */
export const CONFIRMING_CONSUMER = 'notifier';

/** The name of a service's stream, and the subjects on it. */
export function streamOf(service: string): { name: string; subjects: string } {
  return { name: `gerbang-${service}`, subjects: `gerbang.${service}.>` };
}

/**
 * Makes sure the service's stream is there as configured: one stream a service, on file, on so many servers, bounded by age and
 * size. Throws where there are fewer servers.
 */
export async function ensureStream(manager: JetStreamManager, service: string, replicas: number): Promise<void> {
  const { name, subjects } = streamOf(service);
  const limits = { max_age: nanos(MAX_AGE_MS), max_bytes: MAX_BYTES, num_replicas: replicas };
  const known = await streamInfo(manager, service);
  if (known === undefined) {
    const kind = { storage: StorageType.File, retention: RetentionPolicy.Limits };
    await manager.streams.add({ name, subjects: [subjects], ...kind, ...limits });
  } else if (!hasLimits(known.config, limits)) {
    await manager.streams.update(name, limits);
  }
}

type StreamLimits = Pick<StreamConfig, 'max_age' | 'max_bytes' | 'num_replicas'>;

function hasLimits(config: StreamConfig, { max_age, max_bytes, num_replicas }: StreamLimits): boolean {
  return config.max_age === max_age && config.max_bytes === max_bytes && config.num_replicas === num_replicas;
}

/**
 * Makes sure that the durable consumer is there and can go on. One that stands behind the end of its stream, which is another or
 * an older one than it has read, would wait until the stream has come so far again: it is made anew.
 */
export async function ensureConsumer(
  manager: JetStreamManager,
  options: { service: string; durable: string; unacknowledgedMax: number; ackWaitMs: number },
): Promise<void> {
  const { service, durable } = options;
  const { name } = streamOf(service);
  const known = await consumerInfo(manager, service, durable);
  const stream = known === undefined ? undefined : await streamInfo(manager, service);
  const limits = { ack_wait: nanos(options.ackWaitMs), max_ack_pending: options.unacknowledgedMax };
  if (known !== undefined && stream !== undefined && !isBeyond(known, stream)) {
    if (known.config.ack_wait !== limits.ack_wait || known.config.max_ack_pending !== limits.max_ack_pending)
      await manager.consumers.update(name, durable, limits);
    return;
  }
  if (known !== undefined) await manager.consumers.delete(name, durable);
  await manager.consumers.add(name, {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: new Date(Date.now() - BEGIN_BEFORE_MS).toISOString(),
    ...limits,
  });
}

/** Whether the consumer is there and stands within its stream. */
export async function isConsumerSound(manager: JetStreamManager, service: string, durable: string): Promise<boolean> {
  const consumer = await consumerInfo(manager, service, durable);
  // The stream is asked last: it may grow in between, but a consumer never runs ahead of it.
  const stream = consumer === undefined ? undefined : await streamInfo(manager, service);
  return consumer !== undefined && stream !== undefined && !isBeyond(consumer, stream);
}

/**
 * Messages that the confirming consumer has not worked off yet; all of the stream while there is no such consumer. Throws when
 * JetStream does not answer.
 */
export async function lagOf(manager: JetStreamManager, service: string): Promise<number> {
  const consumer = await consumerInfo(manager, service, CONFIRMING_CONSUMER);
  if (consumer !== undefined) return consumer.num_pending + consumer.num_ack_pending;
  return (await streamInfo(manager, service))?.state.messages ?? 0;
}

function isBeyond(consumer: ConsumerInfo, stream: StreamInfo): boolean {
  return consumer.delivered.stream_seq > stream.state.last_seq;
}

function streamInfo(manager: JetStreamManager, service: string): Promise<StreamInfo | undefined> {
  return found(manager.streams.info(streamOf(service).name));
}

function consumerInfo(manager: JetStreamManager, service: string, durable: string): Promise<ConsumerInfo | undefined> {
  return found(manager.consumers.info(streamOf(service).name, durable));
}

async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && /not found/i.test(error.message)) return undefined;
    throw error;
  }
}
