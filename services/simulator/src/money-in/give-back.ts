import type { Context } from '../context.ts';
import type { PaymentRequest } from '../payment-request/payment-request.ts';
import { tellAgain } from './notifier.ts';
import type { Receipt } from './receipts.ts';

/**
 * Gives all of the payment of a code back to its payer, and notifies the gateway; again where that was done before. The payment;
 * else why not.
 */
export async function giveBack(context: Context, code: PaymentRequest): Promise<Receipt | string> {
  const receipt = await context.receipts.find('qris', code.referenceNo);
  if (receipt?.status !== 'success') return 'The code has not been paid';
  const given = await context.refunds.give('qris', code.referenceNo, `reversal-${code.reference}`, receipt.amountSen);
  if (typeof given === 'string') return 'The payment has been given back already';
  await tellAgain(context, { ...receipt, refundedSen: receipt.amountSen });
  return receipt;
}
