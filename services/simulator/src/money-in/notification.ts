import { toMoney } from '@gerbang/core';
import { DEBIT_NOTIFY, type GatewayService, QR_NOTIFY, VA_PAYMENT } from './gateway.ts';
import type { Receipt } from './receipts.ts';
import { snapMoment } from './snap-time.ts';

/** How SNAP names a number: eight characters for the gateway's part, padded on the left, and the customer's digits. */
export function billFields(number: string): { partnerServiceId: string; customerNo: string; virtualAccountNo: string } {
  const partnerServiceId = number.slice(0, PREFIX_LENGTH).padStart(8);
  const customerNo = number.slice(PREFIX_LENGTH);
  return { partnerServiceId, customerNo, virtualAccountNo: partnerServiceId + customerNo };
}

/** The shortest prefix of all banks; the gateway reads the whole number. */
const PREFIX_LENGTH = 4;
/** Who pays in the sandbox. */
const PAYER = { customerNumber: '9360099900000012346', accountType: 'SAVING' };
/** This gateway's partner has paid it itself, as the issuer. */
const ON_US = { issuerName: 'Gerbang Sandbox', issuerNns: '93600999', customerName: 'MERCHANT SANDBOX', isOnUs: true };
const ISSUER = { issuerName: 'Bank Sandbox', issuerNns: '93600999', customerName: 'PELANGGAN SANDBOX', isOnUs: false };

/**
 * What a rail reports to the gateway. `again`: it has reported this before and got no answer, so the money is taken by now.
 */
export function notificationOf(receipt: Receipt, again: boolean): { service: GatewayService; body: object } {
  const { rail, railReference, requestReference, amountSen, tipSen, paidAtMs, status, reason } = receipt;
  const paidAt = snapMoment(paidAtMs);
  const amount = toMoney(amountSen);
  switch (rail) {
    case 'va':
    case 'retail':
      return {
        service: VA_PAYMENT,
        body: {
          ...billFields(receipt.number),
          paymentRequestId: railReference,
          paidAmount: amount,
          trxDateTime: paidAt,
          flagAdvise: again ? 'Y' : 'N',
        },
      };
    case 'qris':
      return {
        service: QR_NOTIFY,
        body: {
          originalReferenceNo: railReference,
          originalPartnerReferenceNo: requestReference,
          latestTransactionStatus: receipt.refundedSen > 0n ? '04' : '00',
          transactionStatusDesc: receipt.refundedSen > 0n ? 'Refunded' : 'Success',
          amount,
          ...PAYER,
          additionalInfo: {
            ...(receipt.paidBy === undefined ? ISSUER : ON_US),
            paidTime: paidAt,
            rrn: railReference.slice(-12),
            tipAmount: toMoney(tipSen),
          },
        },
      };
    case 'ewallet':
      return {
        service: DEBIT_NOTIFY,
        body: {
          originalPartnerReferenceNo: requestReference,
          originalReferenceNo: railReference,
          latestTransactionStatus: status === 'failed' ? '06' : '00',
          transactionStatusDesc: status === 'failed' ? reason : 'Success',
          amount,
          finishedTime: paidAt,
        },
      };
    default:
      return rail satisfies never;
  }
}
