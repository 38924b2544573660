import { toMoney } from '@gerbang/core';
import { z } from 'zod';
import { billNumber, echoOf, withNumber } from './bill-number.ts';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { answerOfBill } from './decisions.ts';
import { reasonOf } from './reasons.ts';
import { amountSen, reference, type SnapAnswer, timeMs } from './snap.ts';

export const vaPaymentSchema = z
  .object({
    ...billNumber,
    paymentRequestId: reference(128),
    paidAmount: amountSen,
    trxDateTime: timeMs,
    referenceNo: z.string().max(64).optional(),
    /** Y: the bank has the money already and says so again. */
    flagAdvise: z.enum(['Y', 'N']).default('N'),
  })
  .transform(withNumber);

type Payment = RailCall<z.output<typeof vaPaymentSchema>>;
type Bill = NonNullable<Parameters<RailsContext['moneyIn']['notifyPayment']>[0]['payable']>;

/** POST /v1.0/transfer-va/payment (SNAP 25) by a bank: a customer pays a number. */
export function payVirtualAccount(context: RailsContext, { partner, body }: Payment): Promise<SnapAnswer> {
  const bill: Bill = { case: 'virtualAccount', value: { number: body.number, bankCodes: partner.bankCodes } };
  return pay(context, { partner, body }, bill);
}

/** The same by a chain of shops: a customer pays a code at a till. */
export function payRetailCode(context: RailsContext, { partner, body }: Payment): Promise<SnapAnswer> {
  const bill: Bill = { case: 'retail', value: { paymentCode: body.number, retailCodes: partner.retailCodes } };
  return pay(context, { partner, body }, bill);
}

async function pay({ moneyIn }: RailsContext, { partner, body }: Payment, payable: Bill): Promise<SnapAnswer> {
  const { decision } = await moneyIn.notifyPayment({
    partnerId: partner.partnerId,
    railReference: body.paymentRequestId,
    paidAtMs: BigInt(body.trxDateTime),
    amountSen: body.paidAmount,
    moneyTaken: body.flagAdvise === 'Y',
    payable,
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
