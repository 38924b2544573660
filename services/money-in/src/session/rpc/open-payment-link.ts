import { newUlid, RefusalError, refuse } from '@gerbang/core';
import type { OpenPaymentLinkRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { findLink } from '../../payment-link/find.ts';
import { toPaymentLink } from '../../payment-link/message.ts';
import { isOverdue, mismatchOf, newPaymentRequest } from '../../payment-request/payment-request.ts';
import { eventOf } from '../../payment-request/publish.ts';
import type { PaymentRequest } from '../../payment-request/request.ts';
import { toHistory } from '../message.ts';
import { SESSION, type SessionDetails } from '../session.ts';

/**
 * Opens a link: a session that ends after a while, at the latest with the link (merchant-api.md, payment link history). Nothing
 * is reserved until the customer has chosen a method. Refusals: transaction_not_found, bad_request (the link can't be paid any
 * more).
 */
export async function openPaymentLink(context: Context, { reffNo, ipAddress }: OpenPaymentLinkRequest) {
  const link = await findLink(context, reffNo);
  const nowMs = context.clock.now();
  const { state } = link;
  const mismatch = mismatchOf(state, { type: 'take', by: '', amountSen: state.minSen, paidAtMs: nowMs });
  if (mismatch !== undefined || state.status !== 'active' || isOverdue(state, nowMs))
    throw new RefusalError(refuse('bad_request', { message: 'The payment link can not be paid any more' }));
  const session = newSession(link, {
    nowMs,
    publicId: String(await context.numbers('history').next()),
    expiresAtMs: Math.min(nowMs + context.sessionMs, state.expiresAtMs ?? Number.POSITIVE_INFINITY),
    ipAddress,
  });
  const opened = eventOf(context.kinds, session, { what: 'opened', nowMs, parent: link });
  const made = await context.paymentRequests.insert(session.order, session.state, session.details, [opened]);
  if (made === undefined) throw new Error(`payment request ${session.order.id} is taken`);
  return { paymentLink: toPaymentLink(link), paymentLinkHistory: toHistory(made) };
}

function newSession(
  { order, state }: PaymentRequest,
  given: { nowMs: number; publicId: string; expiresAtMs: number; ipAddress: string },
): PaymentRequest {
  const { nowMs, publicId, expiresAtMs, ipAddress } = given;
  const details: SessionDetails = {
    kind: SESSION,
    linkId: order.id,
    linkNumber: BigInt(order.publicId),
    ipAddress,
    paymentMethod: '',
    paymentMethodValue: '',
    issued: [],
    declined: [],
    card: undefined,
    customerName: '',
    customerEmail: '',
    customerPhone: '',
  };
  return {
    order: { ...order, id: `${SESSION}:${newUlid(nowMs)}`, publicId, createdAtMs: nowMs },
    state: newPaymentRequest({ minSen: state.minSen, maxSen: state.maxSen, maxUses: 1, expiresAtMs }),
    details,
    payment: undefined,
    updatedAtMs: nowMs,
    eventsCount: 0,
  };
}
