import { RefusalError } from '@gerbang/core';
import { contextFrom, withSpan } from '@gerbang/runtime';
import type { Context } from '../context.ts';
import type { Signer } from '../event/webhook-settings.ts';
import { type Attempt, type Delivery, type DeliveryEvent, dueAtMs, isAcknowledged, type StoredDelivery } from './delivery.ts';
import type { Recorded } from './recorder.ts';
import type { Answer } from './sender.ts';
import { webhookRequest } from './webhook-request.ts';
import { withToken } from './with-token.ts';

/** How soon a delivery is tried again that could not be signed because the merchant service does not answer. */
const UNSIGNED_RETRY_MS = 2_000;

const NO_CREDENTIAL: Answer = { httpStatus: undefined, answer: '', error: 'there is no active credential to sign with' };
const NO_KEY: Answer = { httpStatus: undefined, answer: '', error: 'the token cannot be opened at the moment' };
const NO_URL: Answer = { httpStatus: undefined, answer: '', error: 'target refused: not a URL' };

/**
 * The result of an attempt. `acknowledged` is undefined when no request went out. `ended`: the delivery is neither pending nor in
 * doubt, so its successor may go. Otherwise `retryAtMs` is when the successor should be checked again, where that is known.
 */
export type AttemptResult = { acknowledged: boolean | undefined; ended: boolean; retryAtMs: number | undefined };

/**
 * One attempt of a claimed delivery, from the secret to the written outcome, within a span of the trace that caused the event. It
 * calls `answered` as soon as it knows whether the endpoint acknowledged, before that is written. It never rejects: after a fault
 * on our side the delivery is claimed again.
 */
export function attempt(
  context: Context,
  stored: StoredDelivery,
  answered?: (acknowledged: boolean) => void,
): Promise<AttemptResult> {
  const { delivery } = stored;
  const attributes = { 'gerbang.event_id': delivery.id, 'gerbang.merchant_id': delivery.merchantId };
  return withSpan('webhook POST', { kind: 'CLIENT', parent: contextFrom(delivery.traceparent), attributes }, async (span) => {
    let acknowledged: boolean | undefined;
    try {
      const signer = await signerOf(context, delivery);
      if (signer === undefined) {
        const retryAtMs = context.clock.now() + UNSIGNED_RETRY_MS;
        await context.deliveries.claims.release([{ id: delivery.id, dueAtMs: retryAtMs }], context.leases.owner);
        return { acknowledged, ended: false, retryAtMs };
      }
      const made = await send(context, delivery, signer);
      acknowledged = isAcknowledged(made);
      context.endpointStats.attempted(delivery.endpoint, acknowledged, made.durationMs);
      context.failingEndpoints.attempted(delivery.endpoint, acknowledged, made.atMs);
      if (made.httpStatus !== undefined) span.setAttribute('http.response.status_code', made.httpStatus);
      answered?.(acknowledged);
      const recorded = await context.recorder(stored, made, context.clock.now());
      if (recorded === undefined) throw new Error('another replica claimed the delivery during the attempt');
      report(context, delivery, made, recorded.events);
      return { acknowledged, ...(await wakeSuccessors(context, delivery, recorded)) };
    } catch (error) {
      context.log.error(
        { err: error, event_id: delivery.id, merchant_id: delivery.merchantId },
        'an attempt was not recorded; it will be made again',
      );
      return { acknowledged, ended: false, retryAtMs: undefined };
    }
  });
}

/** Undefined when the secret cannot be known now. The attempt is not made then, and does not count. */
async function signerOf(context: Context, { id, merchantId }: Delivery): Promise<Signer | undefined> {
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

async function answerTo(context: Context, stored: Delivery, { partnerId, clientSecret }: Signer): Promise<Answer> {
  const { sender } = context;
  if (!URL.canParse(stored.url)) return NO_URL;
  const delivery = await opened(context, stored);
  if (delivery === undefined) return NO_KEY;
  if (!delivery.signed) return sender.send(webhookRequest(delivery, { partnerId, clientSecret: undefined }, Date.now()));
  if (clientSecret === undefined) return NO_CREDENTIAL;
  return sender.send(webhookRequest(delivery, { partnerId, clientSecret }, Date.now()));
}

/** With its token, if it has one. It is tried again later where no key opens it: operators may give the key back. */
async function opened({ keys, log }: Context, delivery: Delivery): Promise<Delivery | undefined> {
  try {
    return await withToken(delivery, keys);
  } catch (error) {
    log.error({ err: error, event_id: delivery.id, merchant_id: delivery.merchantId }, 'the token of a webhook cannot be opened');
    return undefined;
  }
}

/**
 * Wakes the successor of a delivery that has ended, and the delivery itself where a redelivery was requested during the attempt.
 */
async function wakeSuccessors(
  { clock, progress, puller, waker }: Context,
  delivery: Delivery,
  { state, awaited }: Recorded,
): Promise<Omit<AttemptResult, 'acknowledged'>> {
  const retryAtMs = dueAtMs(state);
  if (retryAtMs !== undefined && retryAtMs <= clock.now()) puller.check(delivery.endpoint);
  const ended = state.status !== 'pending';
  if (ended) progress.ended(delivery);
  if (ended && awaited && delivery.state.status === 'pending') await waker(delivery);
  return { ended, retryAtMs };
}

function report({ log, metrics, clock }: Context, delivery: Delivery, made: Attempt, events: readonly DeliveryEvent[]): void {
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
