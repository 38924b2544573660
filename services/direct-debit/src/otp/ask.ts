import { callWithin } from '@gerbang/rails';
import type { BindRequest, Customer, OtpRequest, SendOtpResult, VerifyOtpResult } from '@gerbang/rails/direct-debit';
import type { StoredBinding } from '../binding/document.ts';
import type { Link, Tokens } from '../binding/state.ts';
import type { Context } from '../context.ts';

type AskContext = Pick<Context, 'rail' | 'railTimeoutMs' | 'sealing' | 'otpCounts' | 'metrics'>;

const PURPOSES = { bind: 'binding', charge: 'charge', unbind: 'unbinding' } as const;

/** Has the bank send an OTP. It is counted for the customer's day first. Refusals: transaction_failed, too many today. */
export async function sendOtp(context: AskContext, binding: StoredBinding, request: OtpRequest): Promise<SendOtpResult> {
  const { merchantId, customerId } = binding.order;
  await context.otpCounts.count(merchantId, customerId);
  const sent = await callWithin(context.railTimeoutMs, (signal) => context.rail.sendOtp(request, { signal }));
  context.metrics.otp(PURPOSES[request.purpose], sent.outcome);
  return sent;
}

/** Asks the bank about an OTP. The attempt has to be counted down durably before. Refusals: transaction_failed, too many today. */
export async function verifyOtp(
  context: AskContext,
  binding: StoredBinding,
  request: OtpRequest,
  given: { chargeToken: string; otp: string },
): Promise<VerifyOtpResult> {
  const { merchantId, customerId } = binding.order;
  await context.otpCounts.count(merchantId, customerId);
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.verifyOtp(request, given, { signal }));
  context.metrics.otp(PURPOSES[request.purpose], said.outcome);
  return said;
}

/** What the bank has to know of the customer and the account. `partnerReference`: of the binding or the charge that it is for. */
export async function otpRequest(
  { sealing }: Pick<Context, 'sealing'>,
  { order, state }: StoredBinding,
  purpose: OtpRequest['purpose'],
  partnerReference: string,
): Promise<OtpRequest> {
  const link = state.status === 'active' ? state.link : undefined;
  return {
    purpose,
    partnerReference,
    bankCode: order.bankCode,
    phone: await sealing.open('customer-phone', order.id, order.phone),
    accountToken: link && (await sealing.open('account-token', order.id, link.accountToken)),
  };
}

/** What the bank is shown in the customer's name. */
export async function customerOf(
  { sealing }: Pick<Context, 'sealing'>,
  bindingId: string,
  given: { link: Link; tokens: Tokens },
): Promise<Customer> {
  return {
    accessToken: await sealing.open('customer-token', bindingId, given.tokens.accessToken),
    accountToken: await sealing.open('account-token', bindingId, given.link.accountToken),
  };
}

/** A binding as the bank is asked for it. `state`: unguessable, for one authorization. */
export async function bindRequest(
  { sealing, payUrl }: Pick<Context, 'sealing' | 'payUrl'>,
  { order }: StoredBinding,
  { state, language }: { state: string; language: string },
): Promise<BindRequest> {
  return {
    partnerReference: order.id,
    bankCode: order.bankCode,
    customerId: order.customerId,
    phone: await sealing.open('customer-phone', order.id, order.phone),
    state,
    language,
    // The bank's consent comes by this server; no customer is ever sent there.
    redirectUrl: `${payUrl}/bind`,
  };
}
