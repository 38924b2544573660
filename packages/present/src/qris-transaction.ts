import { formatSen } from '@gerbang/core';
import { PayableStatus, type QrisTransaction, TipIndicator } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { QRIS_WORDS, statusWord } from './payable-status.ts';
import { iso, isoOrNull } from './time.ts';

const TIPS: Record<TipIndicator, string> = {
  [TipIndicator.UNSPECIFIED]: '',
  [TipIndicator.FIXED]: 'fixed',
  [TipIndicator.PERCENTAGE]: 'percentage',
  [TipIndicator.INPUT]: 'input',
};

/** A QRIS money-in transaction: its amounts are numbers of rupiah (merchant-api.md, QRIS money-in transaction). */
export function presentQrisTransaction(transaction: QrisTransaction): object {
  const { figures, payer } = transaction;
  const status = statusWord(QRIS_WORDS, transaction.status);
  const customer = {
    pan: payer?.customerPan ?? '',
    name: payer?.customerName ?? '',
    account_type: payer === undefined || payer.customerAccountType === '' ? 'UNSPECIFIED' : payer.customerAccountType,
  };
  const settledAt = isoOrNull(figures?.settledAtMs);
  return {
    id: Number(transaction.id),
    account_id: transaction.accountId,
    reff_no: transaction.reffNo,
    merchant_reff_no: transaction.merchantReffNo === '' ? null : transaction.merchantReffNo,
    status,
    status_computed: transaction.status === PayableStatus.ACTIVE && transaction.isExpired ? 'expired' : status,
    is_expired: transaction.isExpired,
    qr_data: transaction.qrData,
    kind: payer === undefined ? null : payer.onUs ? 'on-us' : 'off-us',
    type: 'mpm-dynamic',
    amount: rupiah(transaction.amountSen),
    tip_indicator: TIPS[transaction.tipIndicator],
    // Of a fixed tip rupiah, of a percentage percent: both are hundredths inside.
    tip_value: rupiah(transaction.tipValue),
    tip_amount: rupiah(transaction.tipSen),
    total_amount: rupiah(figures?.amountSen ?? transaction.amountSen),
    mdr_percentage: (figures?.basisPoints ?? 0) / 100,
    mdr_cost: rupiah(figures?.feeSen ?? 0n),
    our_margin: rupiah(figures?.ourMarginSen ?? 0n),
    vendor_fee: rupiah(figures?.vendorFeeSen ?? 0n),
    settled_to_merchant_amount: rupiah(figures?.netSen ?? 0n),
    acquirer_name: transaction.acquirerName,
    acquirer_nns: transaction.acquirerNns,
    issuer_name: payer?.issuerName ?? '',
    issuer_nns: payer?.issuerNns ?? '',
    rrn: payer?.rrn ?? '',
    customer_pan: customer.pan,
    customer_name: customer.name,
    customer_account_type: customer.account_type,
    customer_data: customer,
    has_reconcile: false,
    reconcile_at: null,
    reconcile_by: '',
    had_settled_to_merchant: settledAt !== null,
    settled_to_merchant_at: settledAt,
    has_settle: settledAt !== null,
    settle_at: settledAt,
    settle_eligible_at: isoOrNull(figures?.settleAtMs),
    paid_at: isoOrNull(figures?.paidAtMs),
    created_at: iso(transaction.createdAtMs),
    updated_at: iso(transaction.updatedAtMs),
    expired_at: iso(transaction.expiredAtMs),
    deleted_at: null,
    events_count: transaction.eventsCount,
  };
}

/** Rupiah as the JSON number that this resource has; amounts stay far below where doubles lose sen. */
function rupiah(sen: bigint): number {
  return Number(formatSen(sen));
}
