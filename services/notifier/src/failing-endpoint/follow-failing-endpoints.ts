import type { Clock } from '@gerbang/core';
import type { Closeable, Logger } from '@gerbang/runtime';
import { partsOfEndpoint } from '../delivery/delivery.ts';
import { type FailingEndpoint, isAlertDue, isOver, type Observed, observe } from './failing-endpoint.ts';
import type { FailingEndpointStore } from './store.ts';

const WRITE_EVERY_MS = 1_000;
/** How often a failing endpoint's last failure is written. */
const LAST_FAILURE_EVERY_MS = 60_000;
const CHECK_EVERY_MS = 5_000;

/** Which endpoints fail, and since when. The database has it, so that restarts and other replicas continue with it. */
export type FailingEndpoints = Closeable & {
  /** Remembers how an attempt has ended; returns at once. `atMs` is business time. */
  attempted(endpoint: string, acknowledged: boolean, atMs: number): void;
};

export type FailingEndpointsOptions = {
  store: FailingEndpointStore;
  clock: Clock;
  log: Logger;
  /** Whether anything is still to be sent there. */
  hasPending(endpoint: string): Promise<boolean>;
  /** Called at the start with each endpoint that fails. */
  onKnown(endpoint: string): void;
};

/**
 * Follows the failures of endpoints. When an endpoint has failed for an hour of business time, it logs a line with `alert:
 * "webhook_endpoint_failing"`, once an hour with any number of replicas; when the endpoint acknowledges again, a line with
 * `alert: "webhook_endpoint_recovered"`.
 */
export async function followFailingEndpoints(options: FailingEndpointsOptions): Promise<FailingEndpoints> {
  const { store, clock, log, hasPending } = options;
  /** The endpoints that failed when they were last read, and when their last failure was written. */
  const failing = new Map<string, number>();
  const observed = new Map<string, Observed>();
  let working = Promise.resolve();

  const recover = async (endpoint: string, atMs: number) => {
    const removed = await store.recover(endpoint, atMs);
    failing.delete(endpoint);
    if (removed?.alertedAtMs === undefined) return;
    log.info({ alert: 'webhook_endpoint_recovered', ...fieldsOf(removed) }, 'a webhook endpoint acknowledges again');
  };
  const write = async () => {
    for (const [endpoint, { failedFirstMs, failedLastMs, succeededMs }] of [...observed]) {
      observed.delete(endpoint);
      if (succeededMs !== undefined && failing.has(endpoint)) await recover(endpoint, succeededMs);
      if (failedFirstMs === undefined || failedLastMs === undefined) continue;
      const written = failing.get(endpoint);
      if (written !== undefined && failedLastMs - written < LAST_FAILURE_EVERY_MS) continue;
      failing.set(endpoint, failedLastMs);
      await store.fail(endpoint, failedFirstMs, failedLastMs);
    }
  };
  const check = async () => {
    const found = await store.list();
    failing.clear();
    for (const { endpoint, lastFailedAtMs } of found) failing.set(endpoint, lastFailedAtMs);
    for (const each of found) if (isAlertDue(each, clock.now())) await alertOrForget(each);
  };
  const alertOrForget = async (failed: FailingEndpoint) => {
    const nowMs = clock.now();
    if (!(await hasPending(failed.endpoint))) {
      if (isOver(failed, nowMs)) await store.forget(failed);
      return;
    }
    if (!(await store.claimAlert(failed, nowMs))) return;
    log.error({ alert: 'webhook_endpoint_failing', ...fieldsOf(failed) }, 'a webhook endpoint has failed for an hour or more');
  };
  const enqueue = (work: () => Promise<void>) => {
    working = working
      .then(work)
      .catch((error: unknown) => log.warn({ err: error }, 'could not follow which webhook endpoints fail'));
    return working;
  };

  await check();
  for (const endpoint of failing.keys()) options.onKnown(endpoint);
  const intervals = [
    setInterval(() => void (observed.size > 0 && enqueue(write)), WRITE_EVERY_MS),
    setInterval(() => void enqueue(check), CHECK_EVERY_MS),
  ];
  for (const interval of intervals) interval.unref();
  const stopListening = clock.onAdvance(() => void enqueue(check));
  return {
    attempted(endpoint, acknowledged, atMs) {
      // An endpoint that did not fail and does not fail needs no write.
      if (acknowledged && !failing.has(endpoint) && !observed.has(endpoint)) return;
      observed.set(endpoint, observe(observed.get(endpoint), acknowledged, atMs));
    },
    async close() {
      for (const interval of intervals) clearInterval(interval);
      stopListening();
      await enqueue(write);
    },
  };
}

/** For the log. It has the origin of the URL only: the path may hold what only the merchant should know. */
function fieldsOf({ endpoint, failingSinceMs, lastFailedAtMs }: FailingEndpoint) {
  const { merchantId, origin } = partsOfEndpoint(endpoint);
  return {
    merchant_id: merchantId,
    endpoint: origin,
    failing_since: new Date(failingSinceMs).toISOString(),
    last_failed_at: new Date(lastFailedAtMs).toISOString(),
  };
}
