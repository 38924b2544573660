import type { Context } from '../context.ts';
import { markSettled } from '../payment-request/change.ts';
import { advancePayment } from './advance.ts';
import { takeStep } from './change.ts';
import type { StoredPayment } from './document.ts';
import { feesOf } from './payment.ts';
import { postSettlement } from './postings.ts';

/** A payment and the moment at which the ledger settled it. */
type Settled = { payment: StoredPayment; settledAtMs: number };

/**
 * Takes up payments whose timers have fired: those whose process died go on, those that are paid settle, all of them together.
 * Runs at least once for each; one that fails stays leased and comes again.
 */
export async function onPaymentsDue(context: Context, payments: readonly StoredPayment[]): Promise<void> {
  const current = await each(context, payments, (payment) => advancePayment(context, payment));
  const nowMs = context.clock.now();
  const due = current.filter(({ state }) => state.status === 'paid' && feesOf(state).settleAtMs <= nowMs);
  const posted = await each(context, due, (payment) => postOne(context, payment));
  const marked = await markAll(
    context,
    posted.flatMap((one) => one ?? []),
  );
  await each(context, marked, async ({ payment }) => {
    const { isChanged } = await takeStep(context, payment, { type: 'settle' });
    if (isChanged) context.metrics.settled(payment.order.product);
  });
}

/**
 * The ledger first, then what merchants see. Undefined for a payment that is being reversed just now, which does not settle any
 * more.
 */
async function postOne(context: Context, payment: StoredPayment): Promise<Settled | undefined> {
  const fees = feesOf(payment.state);
  const settledAtMs = fees.netSen === 0n ? context.clock.now() : await postSettlement(context, payment.order, fees);
  return settledAtMs === undefined ? undefined : { payment, settledAtMs };
}

/** What is paid once shows that its payment has settled. Gives those that are done with that. */
async function markAll(context: Context, settled: readonly Settled[]): Promise<Settled[]> {
  const shown = new Map(settled.filter(isShown).map((one) => [one.payment.order.requestId, one]));
  if (shown.size === 0) return [...settled];
  const found = await context.paymentRequests.findMany([...shown.keys()]);
  const marked = await each(context, found, async (request) => {
    const one = shown.get(request.order.id);
    if (one !== undefined) await markSettled(context, request, one.settledAtMs);
    return request.order.id;
  });
  const failed = new Set(found.map(({ order }) => order.id).filter((id) => !marked.includes(id)));
  return settled.filter(({ payment }) => !failed.has(payment.order.requestId));
}

function isShown({ payment: { order } }: Settled): boolean {
  return order.requestId !== '' && order.fromSuspense === undefined && order.paidNumber === undefined;
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
