import { type Refusal, RefusalError, refuse, refuseFields } from '@gerbang/core';
import {
  directDebitBindingSchema,
  directDebitTransactionSchema,
  presentDirectDebitBinding,
  presentDirectDebitTransaction,
} from '@gerbang/present';
import { OtpResult } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { orAbsent, text } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { otp, TIMEOUT_MS } from './fields.ts';

const body = z.object({
  otp,
  transaction_id: orAbsent(text).meta({ description: 'Payment flow: the charge that the OTP is for.' }),
  binding_id: orAbsent(text).meta({ description: 'Unbind flow: the binding that the OTP is for.' }),
  unbind_context: orAbsent(z.looseObject({}, 'must be the otp_handoff of unbind')).meta({
    description: 'Unbind flow: `otp_handoff` of unbind, as it is.',
    override: { type: 'object' },
  }),
});

const attempts = {
  attempts_left: z
    .int()
    .nullable()
    .meta({ description: 'How often a wrong OTP may still be corrected; null after a right one.' }),
};
const ofCharge = directDebitTransactionSchema.extend(attempts).meta({ id: 'DirectDebitTransactionWithOtp' });
const ofBinding = directDebitBindingSchema.extend(attempts).meta({ id: 'DirectDebitBindingWithOtp' });

/** What a hand-over has to be before it is looked into; a moment as it was answered. */
const handoff = z.object({ token: z.string().max(2_048), binding_id: z.string().max(64), expired_at: z.iso.datetime() });

/** POST /api/v2.0/direct-debit/verify-otp (merchant-api.md). Refusals: validation, and those of direct-debit. */
export const verifyOtp = operation({
  id: 'verifyDirectDebitOtp',
  summary: "Give the customer's OTP",
  description:
    'For a charge (`transaction_id`) or for the end of a binding (`binding_id` and `unbind_context`), never for both. A right OTP ' +
    'makes a charge PENDING, and its webhook brings the outcome; a binding stays ACTIVE until ' +
    '`direct-debit.unbinding.succeeded`. A wrong one is SP001 with `attempts_left`; after 3 of them a charge is FAILED. Where the ' +
    'OTP came too late, the bank sends another one, and the message says so.',
  input: z.object({ body }),
  data: z.union([ofCharge, ofBinding]).meta({ id: 'DirectDebitOtpAnswer', description: 'The charge, or the binding.' }),
  refusals: ['transaction_not_found', 'frozen'],
  failures: ['transaction_failed'],
  async handle(context, { caller, body: given }) {
    const { transaction_id: transactionId, binding_id: bindingId, unbind_context: unbindContext } = given;
    const isUnbinding = bindingId !== undefined || unbindContext !== undefined;
    if ((transactionId !== undefined) === isUnbinding) throw new RefusalError(refuseFields(oneFlow(isUnbinding)));
    if (transactionId !== undefined) return ofPayment(context, { merchantId: caller.merchantId, transactionId, otp: given.otp });
    const missing = {
      ...(bindingId === undefined && { binding_id: ['is required with unbind_context'] }),
      ...(unbindContext === undefined && { unbind_context: ['is required with binding_id'] }),
    };
    if (bindingId === undefined || unbindContext === undefined) throw new RefusalError(refuseFields(missing));
    return ofUnbinding(context, { merchantId: caller.merchantId, bindingId, otp: given.otp, unbindContext });
  },
});

async function ofPayment({ directDebits }: Context, request: { merchantId: string; transactionId: string; otp: string }) {
  const { result, transaction, attemptsLeft } = await directDebits.verifyChargeOtp(request, { timeoutMs: TIMEOUT_MS });
  if (transaction === undefined) throw new Error('direct-debit answered no charge');
  const failure = failureOf(result);
  const attempts_left = failure === undefined ? null : attemptsLeft;
  return { data: { ...presentDirectDebitTransaction(transaction), attempts_left }, ...(failure !== undefined && { failure }) };
}

type Unbinding = { merchantId: string; bindingId: string; otp: string; unbindContext: Record<string, unknown> };

async function ofUnbinding({ directDebits }: Context, { merchantId, bindingId, otp: entered, unbindContext }: Unbinding) {
  const block = handoff.safeParse(unbindContext).data;
  const otpHandoff = block && {
    token: block.token,
    bindingId: block.binding_id,
    expiredAtMs: BigInt(Date.parse(block.expired_at)),
  };
  const { result, binding, attemptsLeft } = await directDebits.verifyUnbindOtp(
    { merchantId, bindingId, otp: entered, ...(otpHandoff !== undefined && { otpHandoff }) },
    { timeoutMs: TIMEOUT_MS },
  );
  if (binding === undefined) throw new Error('direct-debit answered no binding');
  const failure = failureOf(result);
  const attempts_left = failure === undefined ? null : attemptsLeft;
  return { data: { ...presentDirectDebitBinding(binding), attempts_left }, ...(failure !== undefined && { failure }) };
}

function oneFlow(isBoth: boolean): Record<string, string[]> {
  const message = isBoth
    ? 'must not come together with binding_id or unbind_context'
    : 'is required, or binding_id and unbind_context';
  return { transaction_id: [message] };
}

function failureOf(result: OtpResult): Refusal | undefined {
  switch (result) {
    case OtpResult.ACCEPTED:
      return undefined;
    case OtpResult.WRONG:
      return refuse('transaction_failed', { message: 'The OTP is wrong' });
    case OtpResult.RESENT:
      return refuse('transaction_failed', { message: 'The OTP came too late; the bank has sent another one' });
    case OtpResult.OVER:
      return refuse('transaction_failed', { message: 'No OTP is taken any more' });
    case OtpResult.UNSPECIFIED:
      throw new Error('direct-debit answered no result of an OTP');
    default:
      return result satisfies never;
  }
}
