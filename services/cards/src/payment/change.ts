import { isRefusal, RefusalError } from '@gerbang/core';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import type { StoredPayment } from './document.ts';
import { authenticationOutcome, authorisationOutcome, isCountedDecline } from './outcome.ts';
import { decide, isNothingNew } from './payment.ts';
import { UNRESOLVED_AFTER_MS } from './schedule.ts';
import type { PaymentCommand, PaymentEvent } from './state.ts';
import { waitingSinceMs } from './waiting.ts';

/**
 * Why the acquirer was asked. `meanwhile`: not because the timer has fired, so that where it says nothing new nothing is written: the
 * questions are counted and the timer is set by the timer's own.
 */
export type Asking = 'by-timer' | 'meanwhile';

/** The payment as it now stands, and whether this call has changed it: only then does the caller go on with what it means. */
export type Changed = { payment: StoredPayment; isChanged: boolean };

type ChangeContext = Pick<Context, 'payments' | 'clock' | 'log' | 'metrics' | 'onChargeFinished' | 'velocity'>;

/**
 * Decides a command and writes it; when another process has written meanwhile, decides anew on what is there now. Only the writer
 * of an event logs and counts it. Refusals: those of the decider, unavailable.
 */
export async function changePayment(
  context: ChangeContext,
  first: StoredPayment,
  command: PaymentCommand,
  asking: Asking = 'by-timer',
): Promise<Changed> {
  const { id } = first.order;
  const changed = await retryConflicts<
    StoredPayment,
    { before: StoredPayment; payment: StoredPayment; event: PaymentEvent | undefined }
  >({
    first,
    read: () => mustFindPayment(context, id),
    async write(current) {
      // A wait adds nothing to what another process has written meanwhile.
      const isOvertaken = current !== first && (command.type === 'wait' || command.type === 'hold');
      const isIdle = asking === 'meanwhile' && isNothingNew(current.state, command);
      const nowMs = context.clock.now();
      const events = isOvertaken || isIdle ? [] : decide(current.state, command, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      const [event] = events;
      if (event === undefined) return { before: current, payment: current, event };
      const payment = await context.payments.apply(current, event, nowMs);
      return payment && { before: current, payment, event };
    },
  });
  if (changed.event !== undefined) {
    observe(context, changed.payment, changed.event, command);
    await observeAuthorisation(context, changed.before, command);
    const { recurring } = changed.payment.order;
    if (recurring !== undefined && changed.event.published !== undefined) context.onChargeFinished(recurring.planId);
  }
  return { payment: changed.payment, isChanged: changed.event !== undefined };
}

export async function mustFindPayment({ payments }: Pick<Context, 'payments'>, id: string): Promise<StoredPayment> {
  const found = await payments.find(id, { linearizable: true });
  if (found === undefined) throw new Error(`card payment ${id} has vanished`);
  return found;
}

function observe(
  { log, metrics, clock }: ChangeContext,
  { order, state, document }: StoredPayment,
  { published, decision }: PaymentEvent,
  command: PaymentCommand,
): void {
  const fields = { transaction_id: order.id, merchant_id: order.merchantId };
  const nowMs = clock.now();
  if (published !== undefined) {
    metrics.finished(published, order.brand, state.status === 'failed' ? state.code : '');
    log.info({ ...fields, status: state.status }, published);
  }
  if (decision !== undefined) {
    const { outcome, approver: operator } = decision;
    log.warn({ ...fields, outcome, operator, status: state.status }, 'operators have decided on a card payment');
  }
  switch (command.type) {
    case 'credited':
      metrics.credited(nowMs - order.createdAtMs);
      break;
    case 'lose':
    case 'late-authorised':
    case 'withdraw':
    case 'contest':
      metrics.contradicted(command.type);
      log.error({ ...fields, alert: 'rail-contradiction', status: state.status }, 'the acquirer contradicts what it said before');
      break;
    case 'wait': {
      const waiting = { ...fields, reason: command.waitingFor };
      if (nowMs - (waitingSinceMs(state, document) ?? nowMs) < UNRESOLVED_AFTER_MS)
        log.warn(waiting, 'the acquirer has not told an outcome yet');
      else log.error(waiting, 'the acquirer has not told an outcome for a day; an operator looks at it');
      break;
    }
    default:
  }
}

/** The acquirer has answered a payment that it was sent. A decline is counted before it is answered, so that the next attempt knows of it. */
async function observeAuthorisation(
  { metrics, velocity }: ChangeContext,
  { order, state }: StoredPayment,
  command: PaymentCommand,
) {
  const outcome = authorisationOutcome(state, command);
  if (outcome !== undefined) metrics.authorised(order.brand, outcome);
  const authentication = authenticationOutcome(state, command);
  if (authentication !== undefined) metrics.authenticated(order.brand, authentication);
  if (outcome !== undefined && isCountedDecline(outcome)) await velocity.declined(order);
}
