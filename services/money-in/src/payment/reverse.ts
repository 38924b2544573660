import type { Context } from '../context.ts';
import { advancePayment } from './advance.ts';
import { changePayment } from './change.ts';
import type { StoredPayment } from './document.ts';
import { creditedId } from './leave-suspense.ts';
import { type Notification, toOrder } from './receive.ts';
import type { Report } from './state.ts';
import { CONTRADICTION, reportContested } from './take-back.ts';

/**
 * What a rail reports of a payment that it has reversed. `amountSen` 0: all of it; `paidTo` empty: the rail has named it only by
 * its own reference.
 */
export type ReversalReport = Report &
  Pick<Notification, 'rail' | 'partnerId' | 'railReference' | 'paidTo' | 'amountSen' | 'request'> & {
    /** The rail's words, for the log; may be empty. */
    reason: string;
  };

/**
 * `unknown`: no payment of the reference is known; what is not known to be paid has nothing to give back. `inconsistent`: the
 * reference is of another payment.
 */
export type ReversalOutcome = 'accepted' | 'known' | 'unknown' | 'inconsistent';

/**
 * Reverses a payment that its rail has taken back, however it stands: what was credited is taken back from the account, what
 * waits in suspense goes back to the rail. The same report again changes nothing. A report of a payment that the rail has not
 * reported as paid is kept, so that the payment is not credited when that report comes after all. Fails where the ledger or the
 * database does not answer; then the rail comes again, and so does the payment's timer.
 */
export async function reverse(context: Context, report: ReversalReport): Promise<ReversalOutcome> {
  const found = await findOrRemember(context, report);
  if (found === undefined) return 'unknown';
  const { order } = found;
  if (report.paidTo !== '' && report.paidTo !== order.paidTo) {
    context.metrics.contradicted();
    context.log.error(
      { alert: CONTRADICTION, payment: order.id },
      'a rail has reversed a payment under the reference of another one',
    );
    return 'inconsistent';
  }
  const payment = await currentOf(context, found);
  const { kind, reportedAtMs } = report;
  // A failure from before the payment is of an earlier attempt to pay.
  if (payment.state.status !== 'withdrawn' && kind !== 'refunded' && reportedAtMs < order.paidAtMs) return 'known';
  const isWhole = report.amountSen === 0n || report.amountSen === order.amountSen;
  const changed = await changePayment(context, payment, { type: 'reverse', report: { kind, reportedAtMs }, isWhole });
  if (changed.payment.state.status === 'withdrawn') return 'unknown';
  if (!isWhole && changed.payment.state.status === 'suspended')
    context.log.error({ alert: CONTRADICTION, payment: order.id }, 'a rail has given back a part of money that is in suspense');
  if (changed.isChanged) {
    context.metrics.contradicted();
    context.log.info({ payment: order.id, kind, reason: report.reason }, 'a rail reports that it has reversed a payment');
    reportContested(context, changed.payment);
  }
  await advancePayment(context, changed.payment);
  return changed.isChanged ? 'accepted' : 'known';
}

/** The payment; undefined where there is none. A report that names what was to be paid is kept as the payment's beginning. */
async function findOrRemember(context: Context, report: ReversalReport): Promise<StoredPayment | undefined> {
  const nowMs = context.clock.now();
  const { kind, reportedAtMs, reason, ...named } = report;
  const { request } = named;
  const told = { ...named, tipSen: 0n, paidAtMs: reportedAtMs, moneyTaken: false, payer: undefined };
  const order = toOrder(context, told, nowMs);
  const known = await context.payments.find(order.id, { linearizable: true });
  if (known !== undefined || request === undefined) return known;
  const inserted = await context.payments.insert(order, { status: 'withdrawn', report: { kind, reportedAtMs } }, nowMs);
  if (inserted === undefined) return context.payments.find(order.id, { linearizable: true });
  context.log.info({ payment: order.id, kind, reason }, 'a rail reports the end of a payment that it has not reported as paid');
  return undefined;
}

/** What there is to reverse: the payment once it is at rest, or the one that an operator has credited from suspense for it. */
async function currentOf(context: Context, payment: StoredPayment): Promise<StoredPayment> {
  const rested = await advancePayment(context, payment);
  if (rested.state.status !== 'credited') return rested;
  const credited = await context.payments.find(creditedId(rested.order.id), { linearizable: true });
  if (credited === undefined) throw new Error(`payment ${rested.order.id} was credited to nothing`);
  return advancePayment(context, credited);
}
