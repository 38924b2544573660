import type { Context } from '../context.ts';
import { markSettled, mustFind } from '../payable/change.ts';
import { VIRTUAL_ACCOUNT } from '../payable/product.ts';
import { carryOn } from './carry-on.ts';
import { changePayment } from './change.ts';
import { figuresOf } from './payment.ts';
import { postSettlement } from './postings.ts';
import type { StoredPayment } from './store.ts';

/** Takes up a payment whose timer has fired: one whose process died goes on, one that is paid settles. Runs at least once. */
export async function onPaymentDue(context: Context, payment: StoredPayment): Promise<void> {
  const current = await carryOn(context, payment);
  if (current.state.status !== 'paid' || figuresOf(current.state).settleAtMs > context.clock.now()) return;
  await settle(context, current);
}

/** The ledger first, then what merchants see. */
async function settle(context: Context, payment: StoredPayment): Promise<void> {
  const { order, state } = payment;
  const figures = figuresOf(state);
  const settledAtMs = figures.netSen === 0n ? context.clock.now() : await postSettlement(context, order, figures);
  if (order.payableId !== '' && order.fromSuspense === undefined && order.product !== VIRTUAL_ACCOUNT) {
    const payable = await mustFind(context, order.payableId);
    await markSettled(context, payable, settledAtMs);
  }
  await changePayment(context, payment, { type: 'settle' });
  context.metrics.settled(order.product);
}
