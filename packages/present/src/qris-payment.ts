import { fromBinary } from '@bufbuild/protobuf';
import { decodeQris, formatSen, isRefusal, toMoney } from '@gerbang/core';
import { PayableStatus, type QrisTransaction, TipIndicator } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { type QrisPayment, type Transfer, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { QrisPaymentFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import { z } from 'zod';
import {
  MoneyOrNull,
  PossibleDuplicateOf,
  QrisReference,
  ReferenceNumber,
  Timestamp,
  TransactionStatus,
  Ulid,
  UnixMillisecondsText,
} from './schemas.ts';
import { textOrNull, wordOf } from './text.ts';
import { iso } from './time.ts';
import { presentBalanceAfter, presentStatus } from './transfer.ts';
import { carried, renderedBy } from './webhook-event.ts';

const TYPES = ['mpm', 'cpm', 'mpm-dynamic', 'mpm-static'] as const;
const TIP_INDICATORS = ['', 'fixed', 'percentage', 'input'] as const;

const UNKNOWN_AMOUNT = 'Null values while the amount is not known: the code leaves it to the payer, and the inquiry named none.';

/** Fields of a QRIS payment; answers and webhooks write their times differently. */
function paymentFields<Time extends z.ZodType>(time: Time) {
  return {
    transaction_id: QrisReference,
    reference_number: ReferenceNumber,
    account_id: Ulid,
    transaction_status: TransactionStatus,
    qr_data: z.string().meta({ description: 'The payload of the code.' }),
    type: z.enum(TYPES).meta({ description: 'mpm-dynamic: a code for one payment; mpm-static: one for many.' }),
    scope: z.enum(['issuer', 'acquirer']).meta({ description: 'issuer: money out; acquirer: money in.' }),
    post_timestamp: time.meta({ description: 'When it was created.' }),
    processed_timestamp: z
      .union([time, z.literal('')])
      .meta({ description: 'When it came to its final status; empty until then, in the webhook also if it was not paid.' }),
    gross_amount: MoneyOrNull.meta({ description: `net_amount and fee. ${UNKNOWN_AMOUNT}` }),
    fee: MoneyOrNull.meta({ description: UNKNOWN_AMOUNT }),
    net_amount: MoneyOrNull.meta({ description: `gross_amount minus fee: amount and tip. ${UNKNOWN_AMOUNT}` }),
    balance_after: MoneyOrNull.meta({
      description: 'The available balance after the amount was held; null values where nothing is held, and of money in.',
    }),
    possible_duplicate_of: PossibleDuplicateOf,
    merchant_name: z.string().meta({ description: 'The name of the merchant who shows the code, as the code has it.' }),
    merchant_city: z.string(),
    amount: MoneyOrNull.meta({ description: `Without tip. ${UNKNOWN_AMOUNT}` }),
    tip_indicator: z.enum(TIP_INDICATORS).meta({
      description: 'The tip that the code asks for: none (empty), a fixed amount, a percentage, or what the payer enters.',
    }),
    tip_value: z.number().nonnegative().meta({ description: 'Rupiah of a fixed tip, percent of a percentage, else 0.' }),
    tip_amount: MoneyOrNull.meta({ description: `What is paid as tip. ${UNKNOWN_AMOUNT}` }),
    failed_code: z
      .string()
      .optional()
      .meta({ description: 'Why it has failed; of a failed one, not in answers to a status inquiry.' }),
    failed_reason: z.string().optional().meta({ description: 'The same in words.' }),
  };
}

export const qrisPaymentSchema = z
  .strictObject({
    ...paymentFields(Timestamp),
    rrn: z.string().meta({ description: 'The retrieval reference number; empty until paid.' }),
  })
  .meta({ id: 'QrisPayment', description: 'The payment of a QRIS code.' });

export const qrisPaymentForWebhookSchema = z
  .strictObject(paymentFields(UnixMillisecondsText))
  .meta({ id: 'QrisPaymentOfWebhook', description: 'The payment of a QRIS code, with times in Unix milliseconds.' });

export type QrisPaymentJson = z.output<typeof qrisPaymentSchema>;
export type QrisPaymentForWebhookJson = z.output<typeof qrisPaymentForWebhookSchema>;

/** A payment as the answers to its inquiry and its order carry it. */
export function presentQrisPayment(transfer: Transfer): QrisPaymentJson {
  const { createdAtMs, processedAtMs } = transfer;
  const times = { post_timestamp: iso(createdAtMs), processed_timestamp: processedAtMs === undefined ? '' : iso(processedAtMs) };
  return { ...present(transfer), ...times, ...failureOf(transfer), rrn: paymentOf(transfer).rrn };
}

/** The same as status inquiries answer it: why it has failed is the webhook's to say (merchant-api.md, QRIS money-out data). */
export function presentQrisPaymentStatus(transfer: Transfer): QrisPaymentJson {
  const { failed_code, failed_reason, ...shown } = presentQrisPayment(transfer);
  return shown;
}

/** The same as webhooks carry it: an empty completion time where it was never paid (merchant-api.md, qris-issuer). */
export function presentQrisPaymentForWebhook(transfer: Transfer): QrisPaymentForWebhookJson {
  const { status, createdAtMs, processedAtMs } = transfer;
  const wasPaid = status === TransferStatus.SUCCESS || status === TransferStatus.REFUNDED;
  const processed = wasPaid && processedAtMs !== undefined ? String(processedAtMs) : '';
  return {
    ...present(transfer),
    post_timestamp: String(createdAtMs),
    processed_timestamp: processed,
    ...failureOf(transfer),
  };
}

/** Money in by a code of the account, in the shape of a payment: what an inquiry of the scope acquirer answers. */
export function presentAcquiredQris(transaction: QrisTransaction, referenceNumber: string): QrisPaymentJson {
  const { amountSen, tipSen, tipIndicator, tipValue, figures, payer } = transaction;
  const gross = figures?.amountSen ?? amountSen;
  const fee = figures?.feeSen ?? 0n;
  const code = decodeQris(transaction.qrData);
  return {
    transaction_id: transaction.reffNo,
    reference_number: referenceNumber,
    account_id: transaction.accountId,
    transaction_status: presentStatus(statusOf(transaction)),
    qr_data: transaction.qrData,
    type: 'mpm-dynamic',
    scope: 'acquirer',
    post_timestamp: iso(transaction.createdAtMs),
    processed_timestamp: figures === undefined ? '' : iso(figures.paidAtMs),
    gross_amount: toMoney(gross),
    fee: toMoney(fee),
    net_amount: toMoney(gross - fee),
    balance_after: presentBalanceAfter(undefined),
    possible_duplicate_of: null,
    merchant_name: isRefusal(code) ? '' : code.merchantName,
    merchant_city: isRefusal(code) ? '' : code.merchantCity,
    amount: toMoney(amountSen),
    tip_indicator: TIPS_IN[tipIndicator],
    tip_value: hundredths(tipValue),
    tip_amount: toMoney(tipSen),
    rrn: payer?.rrn ?? '',
  };
}

const TIPS_IN: Record<TipIndicator, (typeof TIP_INDICATORS)[number]> = {
  [TipIndicator.UNSPECIFIED]: '',
  [TipIndicator.FIXED]: 'fixed',
  [TipIndicator.PERCENTAGE]: 'percentage',
  [TipIndicator.INPUT]: 'input',
};

/** A code that cannot be paid any more is as a canceled transaction: a new one has to be made. */
function statusOf({ status, isExpired }: QrisTransaction): TransferStatus {
  switch (status) {
    case PayableStatus.ACTIVE:
      return isExpired ? TransferStatus.CANCELED : TransferStatus.INITIATED;
    case PayableStatus.COMPLETED:
      return TransferStatus.SUCCESS;
    case PayableStatus.EXPIRED:
    case PayableStatus.INACTIVE:
      return TransferStatus.CANCELED;
    case PayableStatus.FAILED:
      return TransferStatus.FAILED;
    case PayableStatus.REVERSED:
      return TransferStatus.REFUNDED;
    case PayableStatus.UNSPECIFIED:
      throw new Error('a QRIS transaction has no status');
    default:
      return status satisfies never;
  }
}

function present(transfer: Transfer) {
  const { status, amountSen, feeSen, balanceAfterSen } = transfer;
  const payment = paymentOf(transfer);
  // Every amount is more than nothing, so nothing is an amount that is not known yet.
  const known = (sen: bigint) => presentBalanceAfter(amountSen === 0n ? undefined : sen);
  return {
    transaction_id: transfer.transactionId,
    reference_number: transfer.referenceNumber,
    account_id: transfer.accountId,
    transaction_status: presentStatus(status),
    qr_data: payment.qrData,
    type: wordOf(TYPES, payment.type, 'type of code'),
    scope: 'issuer' as const,
    gross_amount: known(amountSen + feeSen),
    fee: known(feeSen),
    net_amount: known(amountSen),
    balance_after: presentBalanceAfter(status === TransferStatus.FAILED ? undefined : balanceAfterSen),
    possible_duplicate_of: textOrNull(transfer.possibleDuplicateOf),
    merchant_name: payment.merchantName,
    merchant_city: payment.merchantCity,
    amount: known(payment.amountSen),
    tip_indicator: wordOf(TIP_INDICATORS, payment.tipIndicator, 'tip'),
    tip_value: hundredths(payment.tipValue),
    tip_amount: known(payment.tipSen),
  };
}

function failureOf({ status, failedCode, failedReason }: Transfer) {
  return status === TransferStatus.FAILED ? { failed_code: failedCode, failed_reason: failedReason } : {};
}

function paymentOf({ transactionId, qrisPayment }: Transfer): QrisPayment {
  if (qrisPayment === undefined) throw new Error(`${transactionId} is no payment of a QRIS code`);
  return qrisPayment;
}

/** Rupiah or percent as a JSON number; inside both are hundredths. */
function hundredths(value: bigint): number {
  return Number(formatSen(value));
}

const QRIS_ISSUER = 'qris-issuer';

const bodySchema = z
  .strictObject({
    response_code: z.enum(['SP000', 'SP001']).meta({ description: 'SP000 only if the merchant of the code has the money.' }),
    response_message: z.enum(['Success', 'Transaction failure']),
    event: z.literal(QRIS_ISSUER),
    data: qrisPaymentForWebhookSchema,
  })
  .meta({ id: 'QrisIssuerWebhook', description: 'The end of the payment of a QRIS code.' });

/** The end of a payment (contract §10, merchant-api.md qris-issuer). SP000 only where the money is with the code's merchant. */
export const qrisIssuerWebhook = renderedBy(
  {
    event: QRIS_ISSUER,
    setting: 'disbursement_notif_url',
    description: 'The payment of a QRIS code has succeeded, has failed, was canceled, or came back after it had succeeded.',
    body: bodySchema,
  },
  (event) => {
    const transfer = carried(event, fromBinary(QrisPaymentFinishedSchema, event.payload).transfer);
    return { ...resultOf(transfer), event: QRIS_ISSUER, data: presentQrisPaymentForWebhook(transfer) };
  },
);

function resultOf({ status }: Transfer): Pick<z.output<typeof bodySchema>, 'response_code' | 'response_message'> {
  return status === TransferStatus.SUCCESS
    ? { response_code: 'SP000', response_message: 'Success' }
    : { response_code: 'SP001', response_message: 'Transaction failure' };
}
