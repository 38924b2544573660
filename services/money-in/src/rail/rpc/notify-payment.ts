import { RefusalError, refuseField } from '@gerbang/core';
import type { NotifyPaymentRequest } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { Context } from '../../context.ts';
import { receive } from '../../payment/receive.ts';
import { answerTo } from '../decision.ts';
import { findPaid } from '../find-payment-request.ts';

/**
 * Money that a rail reports; see the contract. The answer comes after the decision is durable and the ledger has moved. Refusals:
 * validation, unavailable.
 */
export async function notifyPayment(context: Context, request: NotifyPaymentRequest) {
  const { partnerId, railReference, amountSen, paidAtMs, moneyTaken } = request;
  if (railReference === '') throw new RefusalError(refuseField('rail_reference', 'is required'));
  if (amountSen <= 0n) throw new RefusalError(refuseField('amount_sen', 'must be more than 0'));
  const { rail, paid } = readPaid(context, request);
  const { paidTo, tipSen, payer } = paid;
  const received = await receive(context, {
    rail: rail.name,
    partnerId,
    railReference,
    paidTo,
    amountSen,
    tipSen,
    paidAtMs: Number(paidAtMs),
    moneyTaken,
    payer,
    request: await findPaid(context, rail, paid),
  });
  return { decision: answerTo(received) };
}

/** What the rail that reports it says beyond amount and time. Refusals: validation. */
function readPaid({ kinds }: Pick<Context, 'kinds'>, { payable }: NotifyPaymentRequest) {
  for (const rail of kinds.rails) {
    const paid = rail.read(payable);
    if (paid !== undefined) return { rail, paid };
  }
  throw new RefusalError(refuseField('payable', 'is required'));
}
