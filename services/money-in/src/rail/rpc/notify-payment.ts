import { RefusalError, refuseField } from '@gerbang/core';
import type { NotifyPaymentRequest } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../../context.ts';
import { type Notification, receive } from '../../payment/receive.ts';
import { answerTo } from '../decision.ts';
import { findByCheckoutReference, findByPaymentCode, findByQrisReference, findByVaNumber } from '../find-payable.ts';

/** What differs between rails. */
type OfRail = Pick<Notification, 'rail' | 'paidTo' | 'tipSen' | 'payer' | 'payable'>;

/** Money that a rail tells of; see the contract. The answer comes after the decision is durable and the ledger has moved. Refusals: validation, unavailable. */
export async function notifyPayment(context: Context, request: NotifyPaymentRequest) {
  const { partnerId, railReference, amountSen, paidAtMs, moneyTaken } = request;
  if (railReference === '') throw new RefusalError(refuseField('rail_reference', 'is required'));
  if (amountSen <= 0n) throw new RefusalError(refuseField('amount_sen', 'must be more than 0'));
  const ofRail = await readRail(context, request);
  const received = await receive(context, {
    partnerId,
    railReference,
    amountSen,
    paidAtMs: Number(paidAtMs),
    moneyTaken,
    ...ofRail,
  });
  return { decision: answerTo(received) };
}

async function readRail(context: Context, { payable }: NotifyPaymentRequest): Promise<OfRail> {
  const none = { tipSen: 0n, payer: undefined };
  switch (payable.case) {
    case 'virtualAccount': {
      const { number, bankCodes } = payable.value;
      return { ...none, rail: 'va', paidTo: number, payable: await findByVaNumber(context, number, bankCodes) };
    }
    case 'retail': {
      const { paymentCode, retailCodes } = payable.value;
      return {
        ...none,
        rail: 'retail',
        paidTo: paymentCode,
        payable: await findByPaymentCode(context, paymentCode, retailCodes),
      };
    }
    case 'ewallet': {
      const { partnerReference } = payable.value;
      const found = await findByCheckoutReference(context, partnerReference);
      return { ...none, rail: 'ewallet', paidTo: partnerReference, payable: found };
    }
    case 'qris': {
      const { partnerReference, tipSen, issuerName, issuerNns, customerPan, customerName } = payable.value;
      const { customerAccountType, onUs, rrn } = payable.value;
      return {
        rail: 'qris',
        paidTo: partnerReference,
        tipSen,
        payer: { issuerName, issuerNns, customerPan, customerName, customerAccountType, onUs, rrn },
        payable: await findByQrisReference(context, partnerReference),
      };
    }
    case undefined:
      throw new RefusalError(refuseField('payable', 'is required'));
    default:
      return payable satisfies never;
  }
}
