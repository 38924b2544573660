import { isRefusal } from '@gerbang/core';
import type { Context } from '../context.ts';
import { markSettled } from '../payable/change.ts';
import { VIRTUAL_ACCOUNT } from '../payable/product.ts';
import { carryOn } from './carry-on.ts';
import { decide, figuresOf } from './payment.ts';
import { postSettlement } from './postings.ts';
import type { StoredPayment } from './stored-payment.ts';

/** A payment and the moment at which the ledger settled it. */
type Settled = { payment: StoredPayment; settledAtMs: number };

/**
 * Takes up payments whose timers have fired: those whose process died go on, those that are paid settle, all of them together. Runs at least once for each; one
 * that fails stays leased and comes again.
 */
export async function onPaymentsDue(context: Context, payments: readonly StoredPayment[]): Promise<void> {
  const current = await each(context, payments, (payment) => carryOn(context, payment));
  const nowMs = context.clock.now();
  const due = current.filter(({ state }) => state.status === 'paid' && figuresOf(state).settleAtMs <= nowMs);
  const settled = await each(context, due, (payment) => postOne(context, payment));
  const marked = await markAll(context, settled);
  const changes = marked.flatMap(({ payment }) => {
    const events = decide(payment.state, { type: 'settle' }, context.clock.now());
    return isRefusal(events) || events.length === 0 ? [] : [{ payment, events }];
  });
  await context.payments.applyMany(changes, { nowMs, nextDueMs: undefined, published: [] });
  for (const { payment } of changes) context.metrics.settled(payment.order.product);
}

/** The ledger first, then what merchants see. */
async function postOne(context: Context, payment: StoredPayment): Promise<Settled> {
  const figures = figuresOf(payment.state);
  const settledAtMs = figures.netSen === 0n ? context.clock.now() : await postSettlement(context, payment.order, figures);
  return { payment, settledAtMs };
}

/** What is paid once shows that its payment has settled. Gives those that are done with that; a payable that others have changed meanwhile is written by itself. */
async function markAll(context: Context, settled: readonly Settled[]): Promise<Settled[]> {
  const shown = new Map(settled.filter(isShown).map((one) => [one.payment.order.payableId, one]));
  if (shown.size === 0) return [...settled];
  const nowMs = context.clock.now();
  const before = await context.payables.findMany([...shown.keys()]);
  const changes = before.flatMap((payable) => {
    const one = shown.get(payable.order.id);
    if (one === undefined || payable.payment === undefined || payable.payment.settledAtMs !== undefined) return [];
    const payment = { ...payable.payment, settledAtMs: one.settledAtMs };
    return [{ payable, events: [], beside: { payment, nowMs, published: [] } }];
  });
  await context.payables.applyMany(changes);
  const after = await context.payables.findMany([...shown.keys()]);
  const missed = after.filter(({ payment }) => payment !== undefined && payment.settledAtMs === undefined);
  const written = await each(context, missed, async (payable) => {
    await markSettled(context, payable, shown.get(payable.order.id)?.settledAtMs ?? nowMs);
    return payable;
  });
  const failed = new Set(missed.filter((payable) => !written.includes(payable)).map(({ order }) => order.id));
  return settled.filter(({ payment }) => !failed.has(payment.order.payableId));
}

function isShown({ payment: { order } }: Settled): boolean {
  return order.payableId !== '' && order.fromSuspense === undefined && order.product !== VIRTUAL_ACCOUNT;
}

/** The same for each at once; what fails is logged and left out. */
async function each<T, R>(context: Context, items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = await Promise.allSettled(items.map(work));
  return results.flatMap((result) => {
    if (result.status === 'fulfilled') return [result.value];
    context.log.error({ err: result.reason }, 'a payment could not be taken further');
    return [];
  });
}
