import { z } from 'zod';
import type { NotFoundOutcome, PaidOutcome, RefusedOutcome, UnknownOutcome } from './rail-call.ts';
import { aboutAnother, isDone, readNotFound, readRefusal, unknownBy, unreadable } from './snap-call.ts';
import type { SnapAnswer } from './snap-client.ts';

/**
 * How a rail tells the state of a payment: which 404 cases say that it knows of none, where the amount is, and whose status it
 * is, for operators.
 */
export type PaymentStateForm = { notFoundCases: readonly string[]; amount: z.ZodType<bigint | undefined>; whose: string };

/** How what customers pay stands at its rail. `failed`: declined, canceled or expired, and so never paid any more. */
export type PaymentState = PaidOutcome | { outcome: 'pending' } | RefusedOutcome | NotFoundOutcome | UnknownOutcome;

const state = z.object({
  originalReferenceNo: z.string().min(1).max(64).optional(),
  originalPartnerReferenceNo: z.string().optional(),
  latestTransactionStatus: z.string(),
  transactionStatusDesc: z.string().max(200).default(''),
  paidTime: z.iso.datetime({ offset: true }).optional(),
});

/** Reads SNAP's `latestTransactionStatus`. 04 (refunded) is unknown: money has come and gone again, which operators book. */
export function readPaymentState(answer: SnapAnswer, partnerReference: string, form: PaymentStateForm): PaymentState {
  // Where the provider's profile says so, the refusal itself is the answer.
  if (answer.treatment === 'failure') return readRefusal(answer);
  if (answer.httpStatus !== 200) return readNotFound(answer, form.notFoundCases);
  if (!isDone(answer)) return unknownBy(answer);
  const found = state.safeParse(answer.body);
  const amount = form.amount.safeParse(answer.body);
  if (!found.success || !amount.success) return unreadable();
  const { originalReferenceNo, originalPartnerReferenceNo, latestTransactionStatus: status, paidTime } = found.data;
  if (status === '07') return { outcome: 'not_found' };
  if (originalPartnerReferenceNo !== undefined && originalPartnerReferenceNo !== partnerReference) return aboutAnother();
  switch (status) {
    case '00':
      if (originalReferenceNo === undefined || amount.data === undefined || paidTime === undefined) return unreadable();
      return { outcome: 'paid', railReference: originalReferenceNo, amountSen: amount.data, paidAtMs: Date.parse(paidTime) };
    case '01':
    case '02':
    case '03':
      return { outcome: 'pending' };
    case '05':
    case '06':
      return { outcome: 'failed', code: `${answer.responseCode}/${status}`, reason: found.data.transactionStatusDesc };
    default:
      return { outcome: 'unknown', reason: `${form.whose} is ${status.slice(0, 10)}` };
  }
}

/** How a payment is named in a question about it. */
export function toOriginalName({ partnerReference, railReference }: { partnerReference: string; railReference: string }): object {
  return {
    originalPartnerReferenceNo: partnerReference,
    ...(railReference !== '' && { originalReferenceNo: railReference }),
  };
}
