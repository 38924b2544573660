import { isRefusal } from '@gerbang/core';
import type { Context } from '../context.ts';
import { askBeforeExpiry, type Verdict } from './ask-before-expiry.ts';
import { changePaymentRequest, mustFind } from './change.ts';
import type { StoredPaymentRequest } from './document.ts';
import { decide, isOverdue } from './payment-request.ts';
import { eventOf } from './publish.ts';
import { changed } from './store.ts';

/** An expiry that meets a payment under way looks again after this long. */
const LOOK_AGAIN_MS = 500;

/**
 * Ends payment requests whose time is over, and publishes each expiry once. One that is being paid just now waits for that,
 * unless its kind expires in use. Where a rail may know of a payment that it has not reported, the rail is asked first. Runs at
 * least once for each.
 */
export async function onPaymentRequestsDue(context: Context, requests: readonly StoredPaymentRequest[]): Promise<void> {
  const nowMs = context.clock.now();
  const due = requests.filter(({ state }) => isOverdue(state, nowMs));
  await Promise.all(
    due.map((request) => {
      const { expiresInUse = false, heldBy } = context.kinds.ofRequest(request);
      if (request.state.inFlight.length > 0 && !expiresInUse)
        return context.paymentRequests.postpone(request, { untilMs: nowMs + LOOK_AGAIN_MS, asked: request.asked ?? 0 });
      const questions = heldBy?.(request) ?? [];
      return questions.length > 0 ? askAndExpire(context, request) : expire(context, request);
    }),
  );
}

/** One that could not be asked about stays leased, and comes again. */
async function askAndExpire(context: Context, request: StoredPaymentRequest): Promise<void> {
  let verdict: Verdict;
  try {
    verdict = await askBeforeExpiry(context, request);
  } catch (error) {
    context.log.error({ err: error, payable: request.order.id }, 'the rail of an overdue payment request could not be asked');
    return;
  }
  if (verdict.verdict === 'wait') await context.paymentRequests.postpone(verdict.request, verdict);
  if (verdict.verdict === 'expire') await expire(context, verdict.request, verdict.isUnanswered);
}

/**
 * The replica that has written the expiry counts and logs it. Where another write came first, the timer comes back to what the
 * request then is.
 */
async function expire(context: Context, request: StoredPaymentRequest, isUnanswered = false): Promise<void> {
  const { parentIdOf } = context.kinds.ofRequest(request);
  const isExpired = await (parentIdOf === undefined
    ? expireAlone(context, request)
    : expireWithParent(context, request, parentIdOf(request)));
  if (!isExpired) return;
  context.metrics.expired(request.details.kind);
  if (isUnanswered)
    context.log.error(
      { payable: request.order.id, asked: request.asked },
      'a payment request has expired, though its rail never said what has become of it',
    );
}

async function expireAlone(context: Context, request: StoredPaymentRequest): Promise<boolean> {
  const nowMs = context.clock.now();
  const events = decide(request.state, { type: 'expire' }, nowMs);
  if (isRefusal(events) || events.length === 0) return false;
  const after = changed(request, events, { nowMs });
  const published = [eventOf(context.kinds, after, { what: 'expired', nowMs })];
  return (await context.paymentRequests.apply(request, events, { nowMs, published })) !== undefined;
}

/** Gives the use that it has taken back to its parent. */
async function expireWithParent(context: Context, request: StoredPaymentRequest, parentId: string): Promise<boolean> {
  const parent = await mustFind(context, parentId);
  const expired = await changePaymentRequest(context, request, { type: 'expire' }, { event: 'expired', parent });
  if (expired.request.state.status === 'expired')
    await changePaymentRequest(context, parent, { type: 'release', by: request.order.id });
  return expired.isChanged;
}
