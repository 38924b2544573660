import { RefusalError } from '@gerbang/core';
import { ReportedOutcome } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { amountSen, reference, type SnapAnswer, SUCCESSFUL } from './snap.ts';

const STATUSES = ['00', '01', '02', '03', '04', '05', '06', '07'] as const;

export const transferNotifySchema = z.object({
  /** The reference that we gave the bank with the transfer. */
  originalPartnerReferenceNo: reference(64),
  originalReferenceNo: reference(64),
  latestTransactionStatus: z.enum(STATUSES),
  transactionStatusDesc: z.string().max(200).default(''),
  amount: amountSen,
});

/** What SNAP's statuses say of the money. The open ones and 07 (not found) say nothing that would end a transfer. */
const OUTCOMES: Record<(typeof STATUSES)[number], ReportedOutcome | undefined> = {
  '00': ReportedOutcome.SUCCEEDED,
  '01': undefined,
  '02': undefined,
  '03': undefined,
  '04': ReportedOutcome.RETURNED,
  '05': ReportedOutcome.CANCELED,
  '06': ReportedOutcome.FAILED,
  '07': undefined,
};

const TRANSACTION_NOT_FOUND: SnapAnswer = { http: 404, caseCode: '01', message: 'Transaction Not Found' };
const INVALID_AMOUNT: SnapAnswer = { http: 404, caseCode: '13', message: 'Invalid Amount' };

/**
 * POST /v1.0/transfer-interbank/notify and /v1.0/qr/qr-mpm-payment/notify (SNAP has none for 18 and 50; the body is that of 75 and
 * 76): the outcome of a transfer, also where it corrects what the rail said before. Acknowledged when money-out has stored it.
 */
export async function transferNotify(
  { moneyOut }: RailsContext,
  { partner, body }: RailCall<z.output<typeof transferNotifySchema>>,
): Promise<SnapAnswer> {
  const outcome = OUTCOMES[body.latestTransactionStatus];
  if (outcome === undefined) return SUCCESSFUL;
  try {
    await moneyOut.reportTransfer({
      rail: partner.rail,
      transactionId: body.originalPartnerReferenceNo,
      railReference: body.originalReferenceNo,
      amountSen: body.amount,
      outcome,
      code: body.latestTransactionStatus,
      reason: body.transactionStatusDesc,
    });
  } catch (error) {
    const answer = answerOfRefusal(error);
    if (answer === undefined) throw error;
    return answer;
  }
  return SUCCESSFUL;
}

/** The refusals that a bank has to look into; undefined for all other errors, after which it comes again. */
function answerOfRefusal(error: unknown): SnapAnswer | undefined {
  if (!(error instanceof RefusalError)) return undefined;
  const { refused, errors } = error.refusal;
  if (refused === 'transaction_not_found') return TRANSACTION_NOT_FOUND;
  return refused === 'validation' && errors?.amount !== undefined ? INVALID_AMOUNT : undefined;
}
