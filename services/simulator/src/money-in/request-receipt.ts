import type { PaymentRequest } from '../payment-request/payment-request.ts';
import type { NewReceipt, ReceiptStatus } from './receipts.ts';

/**
 * The one entry that a code or a checkout has in the books: it takes the payment request's own reference, so each is paid once,
 * or declined, or canceled.
 */
export function receiptOf(
  paymentRequest: PaymentRequest,
  entry: { status: ReceiptStatus; paidAtMs: number; tipSen?: bigint; reason?: string },
): NewReceipt {
  const { rail, referenceNo: railReference, reference: requestReference, amountSen = 0n } = paymentRequest;
  const { status, paidAtMs, tipSen = 0n, reason = '' } = entry;
  return {
    rail,
    railReference,
    requestReference,
    number: '',
    amountSen: amountSen + tipSen,
    tipSen,
    paidAtMs,
    status,
    reason,
  };
}
