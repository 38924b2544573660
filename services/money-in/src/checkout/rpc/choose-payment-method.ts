import { RefusalError, refuse, refuseField, refuseFields } from '@gerbang/core';
import type { ChoosePaymentMethodRequest } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../../context.ts';
import { changePayable, mustFind, takeUse } from '../../payable/change.ts';
import { isOverdue } from '../../payable/payable.ts';
import { type DetailsOf, detailsOf, PAYMENT_LINK, PAYMENT_LINK_HISTORY } from '../../payable/product.ts';
import type { StoredPayable } from '../../payable/stored-payable.ts';
import { linkReference, toHistory, toPaymentLink } from '../../payment-link/message.ts';
import { hasNumbers } from '../../payment-link/payable-methods.ts';
import { findSession } from '../find.ts';
import { issue } from '../issue.ts';

const CONFLICTS_MAX = 5;

/**
 * Issues what a session is paid by, once a method; a use of the link is reserved from then on, until it is paid or the session ends. Refusals:
 * transaction_not_found, validation, bad_request (the session or the link is over), unavailable, transaction_failed.
 */
export async function choosePaymentMethod(context: Context, request: ChoosePaymentMethodRequest) {
  const { history, link } = await findSession(context, request.reffNo);
  const nowMs = context.clock.now();
  const isOpen = history.state.status === 'active' && !isOverdue(history.state, nowMs);
  if (!isOpen) throw over();
  const linkDetails = detailsOf(link.details, PAYMENT_LINK);
  const { paymentMethod } = request;
  if (!linkDetails.payment_methods.includes(paymentMethod) || !hasNumbers(context.vaSeries, paymentMethod))
    throw new RefusalError(refuseField('payment_method', 'is not one of this link'));
  if (linkDetails.required_customer_detail) mustHaveCustomer(request);
  const before = detailsOf(history.details, PAYMENT_LINK_HISTORY);
  // The wallet takes no second request under the same reference.
  if (before.declined?.includes(paymentMethod)) throw new RefusalError(refuseField('payment_method', 'has been declined'));
  await reserve(context, link, history, nowMs);
  const known = before.issued.find(({ method }) => method === paymentMethod);
  const returnUrl = `${context.payUrl}/pay/${linkReference(PAYMENT_LINK, link.order.id)}/${linkReference(PAYMENT_LINK_HISTORY, history.order.id)}`;
  const value = known?.value ?? (await issue(context, history, paymentMethod, { phone: request.customerPhone, returnUrl }));
  const chosen = await keep(context, history, { request, value });
  return { paymentLink: toPaymentLink(await mustFind(context, link.order.id)), paymentLinkHistory: toHistory(chosen) };
}

/** A link that may be paid so often alone has uses to reserve; any other counts when it is paid. */
async function reserve(context: Context, link: StoredPayable, history: StoredPayable, nowMs: number): Promise<void> {
  if (link.state.maxUses === undefined) return;
  const command = { type: 'take', by: history.order.id, amountSen: history.state.minSen, paidAtMs: nowMs } as const;
  const isStillOpen = async () => (await mustFind(context, history.order.id)).state.status === 'active';
  // A link whose amount has changed since is still paid with what this session was opened with.
  const misfit = await takeUse(context, link, command, isStillOpen);
  if (misfit !== undefined && misfit !== 'wrong-amount') throw over();
}

async function keep(
  context: Context,
  history: StoredPayable,
  { request, value }: { request: ChoosePaymentMethodRequest; value: string },
): Promise<StoredPayable> {
  let current = history;
  for (let attempt = 0; attempt < CONFLICTS_MAX; attempt++) {
    if (current.state.status !== 'active') break;
    const details = withMethod(detailsOf(current.details, PAYMENT_LINK_HISTORY), request, value);
    const written = await context.payables.apply(current, [], { details, nowMs: context.clock.now(), published: [] });
    if (written !== undefined) return written;
    current = await mustFind(context, history.order.id);
  }
  // It has expired meanwhile: what was reserved for it is nobody's.
  const { link } = detailsOf(history.details, PAYMENT_LINK_HISTORY);
  if (current.state.status === 'expired')
    await changePayable(context, await mustFind(context, link), { type: 'release', by: current.order.id });
  throw over();
}

function withMethod(
  details: DetailsOf<typeof PAYMENT_LINK_HISTORY>,
  { paymentMethod, customerName, customerEmail, customerPhone }: ChoosePaymentMethodRequest,
  value: string,
): DetailsOf<typeof PAYMENT_LINK_HISTORY> {
  const others = details.issued.filter(({ method }) => method !== paymentMethod);
  return {
    ...details,
    payment_method: paymentMethod,
    payment_method_value: value,
    issued: [...others, { method: paymentMethod, value }],
    customer_name: customerName === '' ? details.customer_name : customerName,
    customer_email: customerEmail === '' ? details.customer_email : customerEmail,
    customer_phone: customerPhone === '' ? details.customer_phone : customerPhone,
  };
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
