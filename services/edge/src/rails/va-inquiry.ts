import { jakartaIso, toMoney } from '@gerbang/core';
import type { Bill } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { z } from 'zod';
import { billNumber, echoOf, numberOf } from './bill-number.ts';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { answerOfBill } from './decisions.ts';
import { reasonOf } from './reasons.ts';
import { FEATURE_NOT_ALLOWED, reference, type SnapAnswer, SnapRefusal, timeMs } from './snap.ts';

export const VA_INQUIRY = '24';

export const vaInquirySchema = z.object({ ...billNumber, inquiryRequestId: reference(128), trxDateInit: timeMs.optional() });

/** POST /v1.0/transfer-va/inquiry (SNAP 24): what a customer would pay for a number at a bank, or for a code at a till. */
export async function vaInquiry(
  context: RailsContext,
  { partner, body }: RailCall<z.output<typeof vaInquirySchema>>,
): Promise<SnapAnswer> {
  const number = numberOf(body);
  if (number === undefined) throw new SnapRefusal(400, '01', 'Invalid Field Format {virtualAccountNo}');
  const asked = { partnerId: partner.partnerId, inquiredAtMs: BigInt(body.trxDateInit ?? 0) };
  const found = () => {
    switch (partner.rail) {
      case 'va':
        return context.moneyIn.inquireVirtualAccount({ ...asked, number, bankCodes: partner.bankCodes });
      case 'retail':
        return context.moneyIn.inquireRetailCode({ ...asked, paymentCode: number, retailCodes: partner.retailCodes });
      case 'qris':
      case 'ewallet':
        return undefined;
      default:
        return partner.rail satisfies never;
    }
  };
  const answer = await found();
  if (answer === undefined) return FEATURE_NOT_ALLOWED;
  const said = answerOfBill(answer.decision);
  const virtualAccountData = {
    inquiryStatus: said.http === 200 ? '00' : '01',
    inquiryReason: reasonOf(said),
    ...echoOf(body),
    inquiryRequestId: body.inquiryRequestId,
    ...(answer.bill !== undefined && toFields(answer.bill)),
  };
  return { ...said, fields: { virtualAccountData } };
}

/** SNAP has a place for one amount; the bounds of an open one are additional information. */
function toFields(bill: Bill): object {
  const { amountSen, expiresAtMs } = bill;
  return {
    virtualAccountName: bill.name,
    virtualAccountTrxType: amountSen === undefined ? 'O' : 'C',
    totalAmount: toMoney(amountSen ?? 0n),
    ...(expiresAtMs !== undefined && { expiredDate: jakartaIso(Number(expiresAtMs)) }),
    additionalInfo: {
      merchantName: bill.merchantName,
      ...(amountSen === undefined && { minAmount: toMoney(bill.amountMinSen), maxAmount: toMoney(bill.amountMaxSen) }),
    },
  };
}
