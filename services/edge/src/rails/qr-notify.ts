import { ReversalKind } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { z } from 'zod';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { answerOfReversal, answerOfTransaction } from './decisions.ts';
import { amountSen, reference, type SnapAnswer, SnapRefusal, SUCCESSFUL, timeMs } from './snap.ts';

/** SNAP has no place for the time of the payment, the tip and the issuer; acquirers tell them as additional information. */
export const qrNotifySchema = z.object({
  originalReferenceNo: reference(64),
  /**
   * May be missing: a code that is not ours, or not known by a reference. Money that has come all the same must not be turned
   * away.
   */
  originalPartnerReferenceNo: reference(64).optional(),
  latestTransactionStatus: z.enum(['00', '01', '02', '03', '04', '05', '06', '07']),
  transactionStatusDesc: z.string().max(200).default(''),
  amount: amountSen,
  customerNumber: z.string().max(64).default(''),
  accountType: z.string().max(25).default(''),
  additionalInfo: z.object({
    /** Of a payment. */
    paidTime: timeMs.optional(),
    tipAmount: z
      .union([amountSen, z.object({ value: z.literal('0.00'), currency: z.literal('IDR') }).transform(() => 0n)])
      .optional(),
    issuerName: z.string().max(100).default(''),
    issuerNns: z
      .string()
      .regex(/^(?:\d{8})?$/)
      .default(''),
    customerName: z.string().max(100).default(''),
    isOnUs: z.boolean().default(false),
    rrn: z.string().max(64).default(''),
  }),
});

/** Refunded, canceled, failed: what was paid before is not there any more. */
const REVERSED: Readonly<Record<string, ReversalKind>> = {
  '04': ReversalKind.REFUNDED,
  '05': ReversalKind.CANCELED,
  '06': ReversalKind.FAILED,
};

/**
 * POST /v1.0/qr/qr-mpm-notify (SNAP 52): what has become of a customer's payment. Only a success, and the end of one, move
 * anything.
 */
export async function qrNotify(
  context: RailsContext,
  { partner, body }: RailCall<z.output<typeof qrNotifySchema>>,
): Promise<SnapAnswer> {
  const kind = REVERSED[body.latestTransactionStatus];
  if (kind !== undefined) {
    const { decision } = await context.moneyIn.notifyReversed({
      rail: partner.rail,
      partnerId: partner.partnerId,
      railReference: body.originalReferenceNo,
      partnerReference: body.originalPartnerReferenceNo ?? '',
      amountSen: body.amount,
      kind,
      reportedAtMs: BigInt(body.additionalInfo.paidTime ?? 0),
      reason: body.transactionStatusDesc,
    });
    return answerOfReversal(decision);
  }
  if (body.latestTransactionStatus !== '00') return SUCCESSFUL;
  const { paidTime, tipAmount = 0n, ...info } = body.additionalInfo;
  if (paidTime === undefined) throw new SnapRefusal(400, '02', 'Invalid Mandatory Field {additionalInfo.paidTime}');
  if (tipAmount >= body.amount) throw new SnapRefusal(400, '01', 'Invalid Field Format {additionalInfo.tipAmount}');
  const { decision } = await context.moneyIn.notifyPayment({
    partnerId: partner.partnerId,
    railReference: body.originalReferenceNo,
    paidAtMs: BigInt(paidTime),
    amountSen: body.amount,
    moneyTaken: true,
    payable: {
      case: 'qris',
      value: {
        partnerReference: body.originalPartnerReferenceNo ?? '',
        acquirerReference: body.originalReferenceNo,
        tipSen: tipAmount,
        issuerName: info.issuerName,
        issuerNns: info.issuerNns,
        customerPan: body.customerNumber,
        customerName: info.customerName,
        customerAccountType: body.accountType,
        onUs: info.isOnUs,
        rrn: info.rrn,
      },
    },
  });
  return answerOfTransaction(decision);
}
