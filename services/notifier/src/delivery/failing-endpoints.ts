import type { Clock } from '@gerbang/core';
import type { Closeable, Logger } from '@gerbang/runtime';
import { type Store, traced } from '@gerbang/store';

/** An endpoint that has failed for so long is told of, and again after as long: business time. */
const ALERT_AFTER_MS = 60 * 60_000;
/** Nothing is known of an endpoint any more that has nothing to be sent to it and was not asked for so long. */
const FORGET_AFTER_MS = 24 * 60 * 60_000;
const WRITE_EVERY_MS = 1_000;
/** How often a failing endpoint's last failure is written. */
const LAST_FAILURE_EVERY_MS = 60_000;
const LOOK_EVERY_MS = 5_000;
const ENDPOINTS_MAX = 10_000;

type EndpointDocument = {
  _id: string;
  schema: number;
  failing_since: Date;
  last_failed_at: Date;
  alerted_at?: Date;
};

/** Which endpoints fail, and since when: kept in the database, so that restarts and other replicas go on with it. */
export type FailingEndpoints = Closeable & {
  /** Remembers how an attempt has ended; returns at once. `atMs` is business time. */
  attempted(endpoint: string, acknowledged: boolean, atMs: number): void;
};

export type FailingEndpointsOptions = {
  store: Store;
  clock: Clock;
  log: Logger;
  /** Whether anything is still to be sent there. */
  hasPending(endpoint: string): Promise<boolean>;
  /** Hears at the start which endpoints fail. */
  onKnown(endpoint: string): void;
};

/** What has been seen of an endpoint since it was last written. */
type Seen = { failedFirstMs: number | undefined; failedLastMs: number | undefined; succeededMs: number | undefined };

/**
 * Follows the endpoints' failures, and tells operators by a line of the log with `alert: "webhook_endpoint_failing"` of one that has failed for an hour of
 * business time, once an hour whatever the number of replicas, and with `alert: "webhook_endpoint_recovered"` when it acknowledges again.
 */
export async function followFailingEndpoints(options: FailingEndpointsOptions): Promise<FailingEndpoints> {
  const { clock, log, hasPending } = options;
  const collection = options.store.collection<EndpointDocument>('endpoints');
  await collection.createIndex({ failing_since: 1 }, { name: 'failing' });
  /** Failing ones as last read; the value is when their last failure was written. */
  const failing = new Map<string, number>();
  const seen = new Map<string, Seen>();
  let working = Promise.resolve();

  const fail = async (endpoint: string, firstMs: number, lastMs: number) => {
    failing.set(endpoint, lastMs);
    await traced('updateOne', 'endpoints', () =>
      collection.updateOne(
        { _id: endpoint },
        { $setOnInsert: { schema: 1, failing_since: new Date(firstMs) }, $max: { last_failed_at: new Date(lastMs) } },
        { upsert: true },
      ),
    );
  };
  const recover = async (endpoint: string, atMs: number) => {
    const removed = await traced('findOneAndDelete', 'endpoints', () =>
      collection.findOneAndDelete({ _id: endpoint, failing_since: { $lte: new Date(atMs) } }),
    );
    failing.delete(endpoint);
    if (removed?.alerted_at !== undefined) {
      log.info({ alert: 'webhook_endpoint_recovered', ...fieldsOf(removed) }, 'a webhook endpoint acknowledges again');
    }
  };
  const write = async () => {
    for (const [endpoint, { failedFirstMs, failedLastMs, succeededMs }] of [...seen]) {
      seen.delete(endpoint);
      if (succeededMs !== undefined && failing.has(endpoint)) await recover(endpoint, succeededMs);
      if (failedFirstMs === undefined || failedLastMs === undefined) continue;
      const written = failing.get(endpoint);
      if (written === undefined || failedLastMs - written >= LAST_FAILURE_EVERY_MS)
        await fail(endpoint, failedFirstMs, failedLastMs);
    }
  };
  const look = async () => {
    const found = await traced('find', 'endpoints', () =>
      collection.find({ failing_since: { $type: 'date' } }, { limit: ENDPOINTS_MAX }).toArray(),
    );
    failing.clear();
    for (const { _id, last_failed_at: at } of found) failing.set(_id, at.getTime());
    const beforeMs = clock.now() - ALERT_AFTER_MS;
    const isLong = ({ failing_since: since, alerted_at: alerted }: EndpointDocument) =>
      since.getTime() <= beforeMs && (alerted?.getTime() ?? 0) <= beforeMs;
    for (const document of found) if (isLong(document)) await tell(document);
  };
  const tell = async (document: EndpointDocument) => {
    const { _id, last_failed_at: lastFailedAt, alerted_at: alertedAt } = document;
    const nowMs = clock.now();
    if (!(await hasPending(_id))) {
      if (nowMs - lastFailedAt.getTime() < FORGET_AFTER_MS) return;
      await traced('deleteOne', 'endpoints', () => collection.deleteOne({ _id, last_failed_at: lastFailedAt }));
      return;
    }
    // Replicas that look at the same time: one of them tells.
    const unchanged = alertedAt === undefined ? { alerted_at: { $exists: false } } : { alerted_at: alertedAt };
    const { matchedCount } = await traced('updateOne', 'endpoints', () =>
      collection.updateOne({ _id, ...unchanged }, { $set: { alerted_at: new Date(nowMs) } }),
    );
    if (matchedCount === 0) return;
    log.error({ alert: 'webhook_endpoint_failing', ...fieldsOf(document) }, 'a webhook endpoint has failed for an hour or more');
  };
  const enqueue = (work: () => Promise<void>) => {
    working = working
      .then(work)
      .catch((error: unknown) => log.warn({ err: error }, 'could not follow which webhook endpoints fail'));
    return working;
  };

  await look();
  for (const endpoint of failing.keys()) options.onKnown(endpoint);
  const intervals = [
    setInterval(() => void (seen.size > 0 && enqueue(write)), WRITE_EVERY_MS),
    setInterval(() => void enqueue(look), LOOK_EVERY_MS),
  ];
  for (const interval of intervals) interval.unref();
  const stopListening = clock.onAdvance(() => void enqueue(look));
  return {
    attempted(endpoint, acknowledged, atMs) {
      // A sound endpoint that stays sound is nothing to write.
      if (acknowledged && !failing.has(endpoint) && !seen.has(endpoint)) return;
      const known = seen.get(endpoint) ?? { failedFirstMs: undefined, failedLastMs: undefined, succeededMs: undefined };
      if (acknowledged) seen.set(endpoint, { failedFirstMs: undefined, failedLastMs: undefined, succeededMs: atMs });
      else seen.set(endpoint, { ...known, failedFirstMs: known.failedFirstMs ?? atMs, failedLastMs: atMs });
    },
    async close() {
      for (const interval of intervals) clearInterval(interval);
      stopListening();
      await enqueue(write);
    },
  };
}

/** For the log; an endpoint's path may hold what only the merchant should know, its origin does not. */
function fieldsOf({ _id, failing_since: since, last_failed_at: last }: EndpointDocument) {
  const space = _id.indexOf(' ');
  return {
    merchant_id: _id.slice(0, space),
    endpoint: _id.slice(space + 1),
    failing_since: since.toISOString(),
    last_failed_at: last.toISOString(),
  };
}
