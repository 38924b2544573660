import { toMoney } from '@gerbang/core';
import { z } from 'zod';
import { billNumber, echoOf, numberOf } from './bill-number.ts';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { answerOfBill } from './decisions.ts';
import { reasonOf } from './reasons.ts';
import { amountSen, FEATURE_NOT_ALLOWED, reference, type SnapAnswer, SnapRefusal, timeMs } from './snap.ts';

export const VA_PAYMENT = '25';

export const vaPaymentSchema = z.object({
  ...billNumber,
  paymentRequestId: reference(128),
  paidAmount: amountSen,
  trxDateTime: timeMs,
  referenceNo: z.string().max(64).optional(),
  /** Y: the bank has the money already and says so again. */
  flagAdvise: z.enum(['Y', 'N']).default('N'),
});

/** POST /v1.0/transfer-va/payment (SNAP 25): a customer pays a number at a bank, or a code at a till. */
export async function vaPayment(
  context: RailsContext,
  { partner, body }: RailCall<z.output<typeof vaPaymentSchema>>,
): Promise<SnapAnswer> {
  const number = numberOf(body);
  if (number === undefined) throw new SnapRefusal(400, '01', 'Invalid Field Format {virtualAccountNo}');
  if (partner.rail !== 'va' && partner.rail !== 'retail') return FEATURE_NOT_ALLOWED;
  const { decision } = await context.moneyIn.notifyPayment({
    partnerId: partner.partnerId,
    railReference: body.paymentRequestId,
    paidAtMs: BigInt(body.trxDateTime),
    amountSen: body.paidAmount,
    moneyTaken: body.flagAdvise === 'Y',
    payable:
      partner.rail === 'va'
        ? { case: 'virtualAccount', value: { number, bankCodes: partner.bankCodes } }
        : { case: 'retail', value: { paymentCode: number, retailCodes: partner.retailCodes } },
  });
  const said = answerOfBill(decision);
  const virtualAccountData = {
    paymentFlagStatus: said.http === 200 ? '00' : '01',
    paymentFlagReason: reasonOf(said),
    ...echoOf(body),
    paymentRequestId: body.paymentRequestId,
    paidAmount: toMoney(body.paidAmount),
  };
  return { ...said, fields: { virtualAccountData } };
}
