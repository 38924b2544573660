import { jakartaIso, toMoney } from '@gerbang/core';
import type { Bill, RailDecision } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { z } from 'zod';
import { billNumber, echoOf, withNumber } from './bill-number.ts';
import type { RailCall } from './call.ts';
import type { RailsContext } from './context.ts';
import { answerOfBill } from './decisions.ts';
import type { RailPartner } from './partners.ts';
import { reasonOf } from './reasons.ts';
import { reference, type SnapAnswer, timeMs } from './snap.ts';

export const vaInquirySchema = z
  .object({ ...billNumber, inquiryRequestId: reference(128), trxDateInit: timeMs.optional() })
  .transform(withNumber);

type Inquiry = RailCall<z.output<typeof vaInquirySchema>>;

/** POST /v1.0/transfer-va/inquiry (SNAP 24) by a bank: what a customer would pay for a number. */
export async function inquireVirtualAccount({ moneyIn }: RailsContext, { partner, body }: Inquiry): Promise<SnapAnswer> {
  const { number } = body;
  const asked = { ...askedBy(partner, body), number, bankCodes: partner.bankCodes };
  return answerOf(body, await moneyIn.inquireVirtualAccount(asked));
}

/** The same by a chain of shops: what a customer would pay for a code at a till. */
export async function inquireRetailCode({ moneyIn }: RailsContext, { partner, body }: Inquiry): Promise<SnapAnswer> {
  const asked = { ...askedBy(partner, body), paymentCode: body.number, retailCodes: partner.retailCodes };
  return answerOf(body, await moneyIn.inquireRetailCode(asked));
}

function askedBy({ partnerId }: RailPartner, { trxDateInit }: Inquiry['body']) {
  return { partnerId, inquiredAtMs: BigInt(trxDateInit ?? 0) };
}

function answerOf(body: Inquiry['body'], { decision, bill }: { decision: RailDecision; bill?: Bill | undefined }): SnapAnswer {
  const said = answerOfBill(decision);
  const virtualAccountData = {
    inquiryStatus: said.http === 200 ? '00' : '01',
    inquiryReason: reasonOf(said),
    ...echoOf(body),
    inquiryRequestId: body.inquiryRequestId,
    ...(bill !== undefined && toFields(bill)),
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
