import { RefusalError, refuse, refuseField, refuseFields } from '@gerbang/core';
import type { ChoosePaymentMethodRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { toPaymentLink } from '../../payment-link/message.ts';
import { asPaymentLink, linkReference } from '../../payment-link/payment-link.ts';
import { shownProducts } from '../../payment-link/payment-methods.ts';
import { changeFields, changePaymentRequest, mustFind, takeUse } from '../../payment-request/change.ts';
import type { StoredPaymentRequest } from '../../payment-request/document.ts';
import { merchantNameOf } from '../../payment-request/merchant-name.ts';
import { isOffered, methodOf, partsOf } from '../../payment-request/method.ts';
import { isOverdue } from '../../payment-request/payment-request.ts';
import type { PaymentRequest } from '../../payment-request/request.ts';
import { findSession } from '../find.ts';
import { endSoonerIfLast, mustNotHoldTooMany, withHolder } from '../hold.ts';
import { toHistory } from '../message.ts';
import { asSession, sessionReference, withMethod } from '../session.ts';

/**
 * Issues what a session is paid by, once a method; a use of the link is reserved from then on, until it is paid or the session
 * ends, which is sooner where it is the link's last one. Refusals: transaction_not_found, validation, bad_request (the session or
 * the link is over), rate_limited (the address has held too many uses without paying), unavailable (others have always written
 * first: the customer tries again), transaction_failed.
 */
export async function choosePaymentMethod(context: Context, request: ChoosePaymentMethodRequest) {
  const { session, link } = await findSession(context, request.reffNo);
  const nowMs = context.clock.now();
  if (session.state.status !== 'active' || isOverdue(session.state, nowMs)) throw over();
  const linkDetails = asPaymentLink(link.details);
  const { paymentMethod } = request;
  const products = await shownProducts(context, link.order.merchantId);
  if (!linkDetails.paymentMethods.includes(paymentMethod) || !isOffered(context.kinds.methods, paymentMethod, products))
    throw new RefusalError(refuseField('payment_method', 'is not one of this link'));
  if (linkDetails.requiredCustomerDetail) mustHaveCustomer(request);
  const { declined, issued } = asSession(session.details);
  // The wallet takes no second request under the same reference.
  if (declined.includes(paymentMethod)) throw new RefusalError(refuseField('payment_method', 'has been declined'));
  const open = await reserve(context, link, session, nowMs);
  const known = issued.find(({ method }) => method === paymentMethod);
  const value = known?.value ?? (await issue(context, open, link, request));
  const chosen = await keep(context, open, { request, value });
  return { paymentLink: toPaymentLink(await mustFind(context, link.order.id)), paymentLinkHistory: toHistory(chosen) };
}

/**
 * Only a link with a limited number of uses has some to reserve; any other counts them when it is paid. Gives the session as it
 * then is.
 */
async function reserve(
  context: Context,
  link: StoredPaymentRequest,
  session: StoredPaymentRequest,
  nowMs: number,
): Promise<StoredPaymentRequest> {
  if (link.state.maxUses === undefined) return session;
  const command = { type: 'take', by: session.order.id, amountSen: session.state.minSen, paidAtMs: nowMs } as const;
  const isStillOpen = async (current: PaymentRequest) => {
    await mustNotHoldTooMany(context, current, session);
    return (await mustFind(context, session.order.id)).state.status === 'active';
  };
  // A link whose amount has changed since is still paid with what this session was opened with.
  const mismatch = await takeUse(context, link, command, isStillOpen, (current) => withHolder(current, session, nowMs));
  if (mismatch !== undefined && mismatch !== 'wrong-amount') throw over();
  try {
    return await endSoonerIfLast(context, link.order.id, session);
  } catch (error) {
    await giveBackIfExpired(context, session);
    throw error;
  }
}

/** A session that has expired meanwhile may have given nothing back, because it had taken nothing yet. */
async function giveBackIfExpired(context: Context, session: StoredPaymentRequest): Promise<void> {
  const { state } = await mustFind(context, session.order.id);
  if (state.status !== 'expired') return;
  const link = await mustFind(context, asSession(session.details).linkId);
  await changePaymentRequest(context, link, { type: 'release', by: session.order.id });
}

/** Makes what the customer pays by. Refusals: validation (payment_method, customer_phone), unavailable, transaction_failed. */
async function issue(
  context: Context,
  { order, state }: StoredPaymentRequest,
  link: StoredPaymentRequest,
  { paymentMethod, customerPhone }: ChoosePaymentMethodRequest,
): Promise<string> {
  const reference = sessionReference(order.id);
  const issued = methodOf(context.kinds.methods, paymentMethod)?.issue(context, {
    requestId: order.id,
    reference,
    channel: partsOf(paymentMethod).channel,
    amountSen: state.minSen,
    expiresAtMs: state.expiresAtMs ?? context.clock.now(),
    merchantName: () => merchantNameOf(context, order),
    customerPhone,
    returnUrl: `${context.payUrl}/pay/${linkReference(link.order.id)}/${reference}`,
  });
  if (issued === undefined) throw new RefusalError(refuseField('payment_method', 'is not available'));
  return issued;
}

/**
 * Writes down what was issued, while the session is open. A session that has expired meanwhile gives back what was reserved for
 * it.
 */
async function keep(
  context: Context,
  session: StoredPaymentRequest,
  { request, value }: { request: ChoosePaymentMethodRequest; value: string },
): Promise<StoredPaymentRequest> {
  const { paymentMethod: method, customerName: name, customerEmail: email, customerPhone: phone } = request;
  const kept = await changeFields(context, session, ({ state, details }) =>
    state.status === 'active'
      ? { details: withMethod(asSession(details), { method, value }, { name, email, phone }) }
      : undefined,
  );
  if (kept.isChanged) return kept.request;
  await giveBackIfExpired(context, session);
  throw over();
}

function mustHaveCustomer({ customerName, customerEmail, customerPhone }: ChoosePaymentMethodRequest): void {
  const given = { customer_name: customerName, customer_email: customerEmail, customer_phone: customerPhone };
  const missing = Object.entries(given).filter(([, text]) => text === '');
  if (missing.length > 0)
    throw new RefusalError(refuseFields(Object.fromEntries(missing.map(([field]) => [field, ['is required']]))));
}

function over(): RefusalError {
  return new RefusalError(refuse('bad_request', { message: 'This payment is over' }));
}
