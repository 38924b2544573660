import { create } from '@bufbuild/protobuf';
import { type QrisTransaction, QrisTransactionSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { toWireFigures, toWireStatus } from '../payable/figures.ts';
import { detailsOf, QRIS } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';

/** The QRIS prefix of transaction ids (merchant-api.md) before the payable's own ULID: unique, and what the acquirer knows the code by. */
export function qrisReference(payableId: string): string {
  return `66${payableId.slice(QRIS.length + 1)}`;
}

/** The payable that a reference names; undefined when it is none. */
export function payableOfQrisReference(reference: string): string | undefined {
  return /^66[0-9A-HJKMNP-TV-Z]{26}$/.test(reference) ? `${QRIS}:${reference.slice(2)}` : undefined;
}

/** A QRIS transaction as the contract between services shows it; `nowMs` is business time. */
export function toQrisTransaction(payable: StoredPayable, nowMs: number): QrisTransaction {
  const { order, state, payment } = payable;
  const details = detailsOf(payable.details, QRIS);
  return create(QrisTransactionSchema, {
    id: BigInt(order.publicId),
    merchantId: order.merchantId,
    accountId: order.accountId,
    reffNo: qrisReference(order.id),
    merchantReffNo: order.merchantReffNo,
    status: toWireStatus(state.status),
    qrData: details.qr_data,
    amountSen: state.minSen,
    tipIndicator: details.tip_indicator,
    tipValue: details.tip_value,
    tipSen: payment?.tipSen ?? 0n,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(payable.updatedAtMs),
    expiredAtMs: BigInt(state.expiresAtMs ?? 0),
    ...(payment !== undefined && { figures: toWireFigures(payment) }),
    ...(payment?.payer !== undefined && { payer: payment.payer }),
    acquirerName: details.acquirer_name,
    acquirerNns: details.acquirer_nns,
    eventsCount: payable.eventsCount,
    isExpired: state.expiresAtMs !== undefined && state.expiresAtMs <= nowMs,
  });
}
