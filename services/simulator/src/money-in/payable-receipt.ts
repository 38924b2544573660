import type { Payable } from './payables.ts';
import type { NewReceipt, ReceiptStatus } from './receipts.ts';

/** The one entry that a code or a checkout has in the books: it takes the payable's own reference, so each is paid once, or declined, or canceled. */
export function receiptOfPayable(
  payable: Payable,
  entry: { status: ReceiptStatus; paidAtMs: number; tipSen?: bigint; reason?: string },
): NewReceipt {
  const { rail, referenceNo: railReference, reference: payableReference, amountSen = 0n } = payable;
  const { status, paidAtMs, tipSen = 0n, reason = '' } = entry;
  return {
    rail,
    railReference,
    payableReference,
    number: '',
    amountSen: amountSen + tipSen,
    tipSen,
    paidAtMs,
    status,
    reason,
  };
}
