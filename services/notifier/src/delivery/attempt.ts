import { RefusalError } from '@gerbang/core';
import { contextFrom, withSpan } from '@gerbang/runtime';
import type { Context } from '../context.ts';
import type { Signer } from '../event/webhook-settings.ts';
import { type Attempt, type DeliveryEvent, dueAtMs, isAcknowledged } from './delivery.ts';
import type { Delivery, StoredDelivery } from './document.ts';
import type { Recorded } from './recorder.ts';
import type { Answer } from './sender.ts';
import { webhookRequest } from './webhook-request.ts';

/** How soon a delivery is tried again that could not be signed, because the merchant service does not answer. */
const UNSIGNED_RETRY_MS = 2_000;

const NO_CREDENTIAL: Answer = { httpStatus: undefined, answer: '', error: 'there is no active credential to sign with' };
const NO_URL: Answer = { httpStatus: undefined, answer: '', error: 'target refused: not a URL' };

/**
 * What came of an attempt. `acknowledged` is undefined when the endpoint was not asked. `over`: the delivery is neither pending nor in doubt, so its
 * successor may go; else `againAtMs` is when the successor is to be looked at again, as far as that is known.
 */
export type Made = { acknowledged: boolean | undefined; over: boolean; againAtMs: number | undefined };

/**
 * One attempt of a claimed delivery, from the secret to the written outcome, within a span of the trace that caused the event. `answered` hears whether it
 * was acknowledged before that is written. Never rejects: what goes wrong on our side leaves the delivery to be claimed again.
 */
export function attempt(context: Context, stored: StoredDelivery, answered?: (acknowledged: boolean) => void): Promise<Made> {
  const { delivery } = stored;
  const attributes = { 'gerbang.event_id': delivery.id, 'gerbang.merchant_id': delivery.merchantId };
  return withSpan('webhook POST', { kind: 'CLIENT', parent: contextFrom(delivery.traceparent), attributes }, async (span) => {
    let acknowledged: boolean | undefined;
    try {
      const signer = await signerOf(context, stored);
      if (signer === undefined) {
        const againAtMs = context.clock.now() + UNSIGNED_RETRY_MS;
        await context.deliveries.claims.giveBack([{ id: delivery.id, dueAtMs: againAtMs }], context.leases.owner);
        return { acknowledged, over: false, againAtMs };
      }
      const made = await send(context, delivery, signer);
      acknowledged = isAcknowledged(made);
      context.endpointStats.attempted(delivery.endpoint, acknowledged, made.durationMs);
      context.failingEndpoints.attempted(delivery.endpoint, acknowledged, made.atMs);
      if (made.httpStatus !== undefined) span.setAttribute('http.response.status_code', made.httpStatus);
      answered?.(acknowledged);
      const recorded = await context.recorder(stored, made, context.clock.now());
      if (recorded === undefined) throw new Error('the claim was lost before the attempt was over');
      report(context, stored, made, recorded.events);
      return { acknowledged, ...(await goOn(context, stored, recorded)) };
    } catch (error) {
      context.log.error(
        { err: error, event_id: delivery.id, merchant_id: delivery.merchantId },
        'an attempt was not recorded; it will be made again',
      );
      return { acknowledged, over: false, againAtMs: undefined };
    }
  });
}

/** Undefined when it can't be known now; the attempt is not made then, and does not count. */
async function signerOf(context: Context, stored: StoredDelivery): Promise<Signer | undefined> {
  const { id, merchantId } = stored.delivery;
  try {
    return await context.settings.signer(merchantId);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    context.log.warn({ err: error, event_id: id, merchant_id: merchantId }, 'could not ask for the secret to sign with');
    return undefined;
  }
}

async function send(context: Context, delivery: Delivery, signer: Signer): Promise<Attempt> {
  const atMs = context.clock.now();
  const startedMs = performance.now();
  const answer = await answerTo(context, delivery, signer);
  return { atMs, durationMs: Math.round(performance.now() - startedMs), ...answer };
}

async function answerTo({ sender }: Context, delivery: Delivery, { partnerId, clientSecret }: Signer): Promise<Answer> {
  if (!URL.canParse(delivery.url)) return NO_URL;
  if (!delivery.signed) return sender.send(webhookRequest(delivery, { partnerId, clientSecret: undefined }, Date.now()));
  if (clientSecret === undefined) return NO_CREDENTIAL;
  return sender.send(webhookRequest(delivery, { partnerId, clientSecret }, Date.now()));
}

/** Lets the successor of a delivery that is over go at once, and a redelivery that was asked for during the attempt. */
async function goOn(
  { clock, progress, puller, waker }: Context,
  { delivery }: StoredDelivery,
  { state, awaited }: Recorded,
): Promise<Omit<Made, 'acknowledged'>> {
  const againAtMs = dueAtMs(state);
  if (againAtMs !== undefined && againAtMs <= clock.now()) puller.look(delivery.endpoint);
  const over = state.status !== 'pending';
  if (over) progress.over(delivery);
  if (over && awaited && delivery.state.status === 'pending') await waker(delivery);
  return { over, againAtMs };
}

function report(
  { log, metrics, clock }: Context,
  { delivery }: StoredDelivery,
  made: Attempt,
  events: readonly DeliveryEvent[],
): void {
  const fields = {
    event_id: delivery.id,
    event: delivery.event,
    merchant_id: delivery.merchantId,
    http_status: made.httpStatus,
    duration_ms: made.durationMs,
  };
  if (isAcknowledged(made)) {
    metrics.attempted('acknowledged', made.durationMs);
    if (events.some(({ type }) => type === 'acknowledged')) metrics.delivered(clock.now() - delivery.atMs);
    log.info(fields, 'delivered');
    return;
  }
  metrics.attempted(made.httpStatus === undefined ? 'unanswered' : 'refused', made.durationMs);
  log.info({ ...fields, reason: made.error }, 'attempt failed');
  if (!events.some(({ type }) => type === 'given-up')) return;
  metrics.givenUp();
  log.warn(fields, 'given up after the last attempt');
}
