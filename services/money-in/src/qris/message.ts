import { create, toBinary } from '@bufbuild/protobuf';
import {
  QrisEventSchema,
  type QrisTransaction,
  QrisTransactionSchema,
  TipIndicator,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { ReconciledBy } from '@gerbang/reconciliation';
import { toWireFees, toWireStatus } from '../payment-request/message.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import { asQris, qrisReference, type Tip } from './qris.ts';

const INDICATORS: Record<Tip['indicator'], TipIndicator> = {
  none: TipIndicator.UNSPECIFIED,
  fixed: TipIndicator.FIXED,
  percentage: TipIndicator.PERCENTAGE,
  input: TipIndicator.INPUT,
};

/** A tip's indicator as the contract between services, and the database, number it. */
export function toTipIndicator({ indicator }: Pick<Tip, 'indicator'>): TipIndicator {
  return INDICATORS[indicator];
}

/** Throws for a number that is none. */
export function fromTipIndicator(wire: number): Tip['indicator'] {
  for (const indicator of ['none', 'fixed', 'percentage', 'input'] as const) if (INDICATORS[indicator] === wire) return indicator;
  throw new Error(`${wire} is no indicator of a tip`);
}

/**
 * A QRIS transaction as the contract between services shows it; `nowMs` is business time. `reconciled`: its payment was found in
 * the acquirer's books; events do not say so.
 */
export function toQrisTransaction(request: PaymentRequest, nowMs: number, reconciled?: ReconciledBy): QrisTransaction {
  const { order, state, payment } = request;
  const { qrData, tip, acquirerName, acquirerNns } = asQris(request.details);
  return create(QrisTransactionSchema, {
    id: BigInt(order.publicId),
    merchantId: order.merchantId,
    accountId: order.accountId,
    reffNo: qrisReference(order.id),
    merchantReffNo: order.merchantReffNo,
    status: toWireStatus(state.status),
    qrData,
    amountSen: state.minSen,
    tipIndicator: toTipIndicator(tip),
    tipValue: tip.value,
    tipSen: payment?.tipSen ?? 0n,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(request.updatedAtMs),
    expiredAtMs: BigInt(state.expiresAtMs ?? 0),
    ...(payment !== undefined && { figures: toWireFees(payment) }),
    ...(payment?.payer !== undefined && { payer: payment.payer }),
    acquirerName,
    acquirerNns,
    eventsCount: request.eventsCount,
    ...(reconciled !== undefined && { reconciledAtMs: BigInt(reconciled.atMs), reconciledBy: reconciled.by }),
    isExpired: state.expiresAtMs !== undefined && state.expiresAtMs <= nowMs,
  });
}

/** The payload of its events. */
export function qrisPayload(request: PaymentRequest, { nowMs }: { nowMs: number }): Uint8Array {
  return toBinary(QrisEventSchema, create(QrisEventSchema, { qrisTransaction: toQrisTransaction(request, nowMs) }));
}
