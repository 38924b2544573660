import { formatSen } from '@gerbang/core';
import { PayableStatus, type QrisTransaction, TipIndicator } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { QRIS_WORDS, statusWord } from './payable-status.ts';
import { QrisReference, QrisStatus, Timestamp, Ulid } from './schemas.ts';
import { textOrNull } from './text.ts';
import { iso, isoOrNull } from './time.ts';

const tipIndicator = z.enum(['', 'fixed', 'percentage', 'input']).meta({
  description: 'What the customer may add: nothing (empty), a fixed amount, a percentage, or what they enter.',
});

const TIPS: Record<TipIndicator, z.output<typeof tipIndicator>> = {
  [TipIndicator.UNSPECIFIED]: '',
  [TipIndicator.FIXED]: 'fixed',
  [TipIndicator.PERCENTAGE]: 'percentage',
  [TipIndicator.INPUT]: 'input',
};

const payerFields = {
  pan: z.string().meta({ description: "The payer's account number as the acquirer tells it; empty until known." }),
  name: z.string().meta({ description: 'The name of the payer; empty until known.' }),
  account_type: z.string().meta({ description: 'For instance SAVING; UNSPECIFIED until known.' }),
};

const settledAt = Timestamp.nullable().meta({ description: 'When the net amount became available; null until settled.' });

export const qrisTransactionSchema = z
  .strictObject({
    id: z.int().positive().meta({ description: 'The id of paths.' }),
    account_id: Ulid,
    reff_no: QrisReference,
    merchant_reff_no: z.string().nullable().meta({ description: "The merchant's own reference, which need not be unique." }),
    status: QrisStatus.meta({ description: 'The stored status.' }),
    status_computed: QrisStatus.meta({
      description: 'The same, except that an open code whose expired_at has passed is expired. Read this one.',
    }),
    is_expired: z.boolean().meta({ description: 'Whether expired_at has passed; may be true of a paid one too.' }),
    qr_data: z.string().nullable().meta({ description: 'The payload that customers scan.' }),
    kind: z
      .enum(['on-us', 'off-us'])
      .nullable()
      .meta({ description: 'on-us: issuer and acquirer are the same institution. Null until known.' }),
    type: z.enum(['mpm-static', 'mpm-dynamic']).meta({ description: 'Codes that the API generates are mpm-dynamic.' }),
    amount: z.number().positive().meta({ description: 'Rupiah, without a tip.' }),
    tip_indicator: tipIndicator,
    tip_value: z.number().nonnegative().meta({ description: 'Rupiah of a fixed tip, percent of a percentage.' }),
    tip_amount: z.number().nonnegative().meta({ description: 'Rupiah that the customer has added; 0 until paid.' }),
    total_amount: z.number().positive().meta({ description: 'Rupiah, with the tip once it is paid.' }),
    mdr_percentage: z.number().nonnegative().meta({ description: 'The merchant discount rate in percent; 0 until paid.' }),
    mdr_cost: z.number().nonnegative().meta({ description: 'The fee in rupiah: our_margin and vendor_fee. 0 until paid.' }),
    our_margin: z.number().meta({ description: "The gateway's part of the fee in rupiah." }),
    vendor_fee: z.number().meta({ description: "The acquirer's part of the fee in rupiah." }),
    settled_to_merchant_amount: z.number().meta({ description: 'Rupiah after the fee; 0 until paid.' }),
    acquirer_name: z.string(),
    acquirer_nns: z.string().meta({ description: "The acquirer's number in the national numbering system." }),
    issuer_name: z.string().meta({ description: "The payer's bank or e-wallet; empty until paid." }),
    issuer_nns: z.string().meta({ description: "The issuer's number in the national numbering system; empty until paid." }),
    rrn: z.string().meta({ description: 'The retrieval reference number; empty until paid.' }),
    customer_pan: payerFields.pan,
    customer_name: payerFields.name,
    customer_account_type: payerFields.account_type,
    customer_data: z.strictObject(payerFields),
    has_reconcile: z.boolean().meta({
      description:
        "Whether the payment was found in the acquirer's books, which are compared the night after; webhooks say false.",
    }),
    reconcile_at: Timestamp.nullable().meta({ description: 'When it was found there; null until then.' }),
    reconcile_by: z.string().meta({
      description: 'system; or operator, where it differed there and an operator has explained why. Empty until then.',
    }),
    had_settled_to_merchant: z.boolean(),
    settled_to_merchant_at: settledAt,
    has_settle: z.boolean().meta({ description: 'Whether the net amount is available.' }),
    settle_at: settledAt,
    settle_eligible_at: Timestamp.nullable().meta({ description: 'When it settles; null until paid.' }),
    paid_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    expired_at: Timestamp,
    deleted_at: Timestamp.nullable(),
    events_count: z.int().nonnegative(),
  })
  .meta({ id: 'QrisTransaction', description: 'A dynamic QRIS code and its payment. Amounts are numbers of rupiah.' });

export type QrisTransactionJson = z.output<typeof qrisTransactionSchema>;

/** A QRIS money-in transaction: its amounts are numbers of rupiah (merchant-api.md, QRIS money-in transaction). */
export function presentQrisTransaction(transaction: QrisTransaction): QrisTransactionJson {
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
    merchant_reff_no: textOrNull(transaction.merchantReffNo),
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
    has_reconcile: transaction.reconciledAtMs !== undefined,
    reconcile_at: isoOrNull(transaction.reconciledAtMs),
    reconcile_by: transaction.reconciledBy ?? '',
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
