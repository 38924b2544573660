import { toMoney } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { PayAnswer } from '../money-in/forced.ts';
import { QR_PAYMENT_NOTIFY } from '../money-in/gateway.ts';
import { STATUS } from './state.ts';

/** The money of a payment goes back to its payer: from then on its status is 04, and the gateway is notified of it. */
export async function reversePayment({ qrisBooks, gateway }: Context, partnerReference: string): Promise<PayAnswer> {
  const entry = await qrisBooks.reverse(partnerReference);
  if (entry?.status !== 'reversed') return { accepted: false, reason: 'The code has not been paid' };
  const answer = await gateway.call('qris', QR_PAYMENT_NOTIFY, {
    originalReferenceNo: entry.referenceNo,
    originalPartnerReferenceNo: entry.partnerReference,
    ...STATUS[entry.status],
    amount: toMoney(entry.amountSen),
  });
  switch (answer.outcome) {
    case 'done':
      return { accepted: true };
    case 'refused':
      return { accepted: true, reason: answer.message };
    case 'unanswered':
      return { accepted: true, reason: `The gateway has not acknowledged it: ${answer.reason}` };
    default:
      return answer satisfies never;
  }
}
