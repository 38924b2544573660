import { newUlid, RefusalError, refuse } from '@gerbang/core';
import type { OpenPaymentLinkRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { announce } from '../../payable/announce.ts';
import { isOverdue, misfitOf, newPayable } from '../../payable/payable.ts';
import { PAYMENT_LINK_HISTORY } from '../../payable/product.ts';
import { toHistory, toPaymentLink } from '../../payment-link/message.ts';
import { findLink } from '../find.ts';

/**
 * Opens a link: a session that ends after a while, at the latest with the link (merchant-api.md, payment link history). Nothing is reserved until the customer
 * has chosen a method. Refusals: transaction_not_found, bad_request (the link can't be paid any more).
 */
export async function openPaymentLink(context: Context, { reffNo, ipAddress }: OpenPaymentLinkRequest) {
  const link = await findLink(context, reffNo);
  const nowMs = context.clock.now();
  const { state, order } = link;
  const misfit = misfitOf(state, { type: 'take', by: '', amountSen: state.minSen, paidAtMs: nowMs });
  if (misfit !== undefined || state.status !== 'active' || isOverdue(state, nowMs))
    throw new RefusalError(refuse('bad_request', { message: 'The payment link can not be paid any more' }));
  const history = {
    order: {
      id: `${PAYMENT_LINK_HISTORY}:${newUlid(nowMs)}`,
      publicId: String(await context.numbers.history.next()),
      merchantId: order.merchantId,
      partition: order.partition,
      accountId: order.accountId,
      merchantReffNo: order.merchantReffNo,
      createdAtMs: nowMs,
    },
    state: newPayable({
      minSen: state.minSen,
      maxSen: state.maxSen,
      maxUses: 1,
      expiresAtMs: Math.min(nowMs + context.sessionMs, state.expiresAtMs ?? Number.POSITIVE_INFINITY),
    }),
    details: {
      kind: PAYMENT_LINK_HISTORY,
      link: order.id,
      link_number: BigInt(order.publicId),
      ip_address: ipAddress,
      payment_method: '',
      payment_method_value: '',
      issued: [],
      customer_name: '',
      customer_email: '',
      customer_phone: '',
    },
  } as const;
  const shown = { ...history, payment: undefined, updatedAtMs: nowMs, eventsCount: 0, document: link.document };
  const details = { ...history.details, issued: [] };
  const made = await context.payables.insert(
    history.order,
    history.state,
    details,
    announce({ ...shown, details }, 'opened', nowMs, link),
  );
  if (made === undefined) throw new Error(`payable ${history.order.id} is taken`);
  return { paymentLink: toPaymentLink(link), paymentLinkHistory: toHistory(made) };
}
