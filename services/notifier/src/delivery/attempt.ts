import { RefusalError } from '@gerbang/core';
import { contextFrom, withSpan } from '@gerbang/runtime';
import type { Context } from '../context.ts';
import type { Signer } from '../event/webhook-settings.ts';
import { type Attempt, type DeliveryEvent, decide, dueAtMs, isAcknowledged } from './delivery.ts';
import type { Delivery, StoredDelivery } from './document.ts';
import { giveBack } from './give-back.ts';
import type { Answer } from './sender.ts';
import { webhookRequest } from './webhook-request.ts';

/** How soon a delivery is tried again that could not be signed, because the merchant service does not answer. */
const UNSIGNED_RETRY_MS = 2_000;

const NO_CREDENTIAL: Answer = { httpStatus: undefined, answer: '', error: 'there is no active credential to sign with' };
const NO_URL: Answer = { httpStatus: undefined, answer: '', error: 'target refused: not a URL' };

/**
 * One attempt of a claimed delivery, from the secret to the written outcome, within a span of the trace that caused the event. Says whether the
 * endpoint acknowledged, undefined when it was not asked. Never rejects: what goes wrong on our side leaves the delivery to be claimed again.
 */
export function attempt(context: Context, stored: StoredDelivery): Promise<boolean | undefined> {
  const { delivery } = stored;
  const attributes = { 'gerbang.event_id': delivery.id, 'gerbang.merchant_id': delivery.merchantId };
  return withSpan('webhook POST', { kind: 'CLIENT', parent: contextFrom(delivery.traceparent), attributes }, async (span) => {
    try {
      const signer = await signerOf(context, stored);
      if (signer === undefined) return undefined;
      const made = await send(context, stored, signer);
      if (made.httpStatus !== undefined) span.setAttribute('http.response.status_code', made.httpStatus);
      await record(context, stored, made);
      return isAcknowledged(made);
    } catch (error) {
      context.log.error(
        { err: error, event_id: delivery.id, merchant_id: delivery.merchantId },
        'an attempt was not recorded; it will be made again',
      );
      return undefined;
    }
  });
}

/** Undefined when it can't be known now; the delivery is given back then, and the attempt does not count. */
async function signerOf(context: Context, stored: StoredDelivery): Promise<Signer | undefined> {
  const { id, merchantId } = stored.delivery;
  try {
    return await context.settings.signer(merchantId);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    context.log.warn({ err: error, event_id: id, merchant_id: merchantId }, 'could not ask for the secret to sign with');
    await giveBack(context, stored, UNSIGNED_RETRY_MS);
    return undefined;
  }
}

async function send(context: Context, { delivery }: StoredDelivery, signer: Signer): Promise<Attempt> {
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

/** Writes the outcome whatever has happened to the delivery meanwhile, and lets the successor go. */
async function record(context: Context, claimed: StoredDelivery, made: Attempt): Promise<void> {
  const { deliveries, clock, retryPolicy } = context;
  const { id, merchantId } = claimed.delivery;
  let current = claimed;
  for (;;) {
    const events = decide(current.delivery.state, { type: 'record', attempt: made, nowMs: clock.now() }, retryPolicy);
    const ours = current.document.lease_until?.getTime() === claimed.document.lease_until?.getTime();
    const after = await deliveries.apply(current, events, ours);
    if (after !== undefined) {
      report(context, claimed, made, events);
      await goOn(context, after, events);
      return;
    }
    const again = await deliveries.find(merchantId, id);
    if (again === undefined) throw new Error(`delivery ${id} has vanished`);
    current = again;
  }
}

/** Lets the successor of a delivery that is over go at once, and a redelivery that was asked for during the attempt. */
async function goOn(
  { deliveries, clock, pokeTimer }: Context,
  after: StoredDelivery,
  events: readonly DeliveryEvent[],
): Promise<void> {
  const over = events.some(({ type }) => type === 'acknowledged' || type === 'given-up');
  const woken = over && (await deliveries.wakeSuccessor(after, clock.now()));
  if (woken || (dueAtMs(after.delivery.state) ?? Number.POSITIVE_INFINITY) <= clock.now()) pokeTimer();
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
