import type { MessageInitShape } from '@bufbuild/protobuf';
import { type PaymentFiguresSchema, PayableStatus as WireStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { PaymentRequestStatus } from './payment-request.ts';
import type { ShownPayment } from './request.ts';

const STATUSES: Record<PaymentRequestStatus, WireStatus> = {
  active: WireStatus.ACTIVE,
  completed: WireStatus.COMPLETED,
  expired: WireStatus.EXPIRED,
  inactive: WireStatus.INACTIVE,
  failed: WireStatus.FAILED,
  reversed: WireStatus.REVERSED,
};

/** A status as the contract between services names it. */
export function toWireStatus(status: PaymentRequestStatus): WireStatus {
  return STATUSES[status];
}

/** The status that a list's filter names; undefined for any. */
export function fromWireStatus(wire: WireStatus): PaymentRequestStatus | undefined {
  for (const status of ['active', 'completed', 'expired', 'inactive', 'failed', 'reversed'] as const)
    if (STATUSES[status] === wire) return status;
  return undefined;
}

/** The fee breakdown of the one payment that a request shows. */
export function toWireFees(payment: ShownPayment): MessageInitShape<typeof PaymentFiguresSchema> {
  return {
    amountSen: payment.amountSen,
    feeSen: payment.feeSen,
    netSen: payment.netSen,
    vendorFeeSen: payment.vendorFeeSen,
    ourMarginSen: payment.ourMarginSen,
    basisPoints: payment.basisPoints,
    paidAtMs: BigInt(payment.paidAtMs),
    settleAtMs: BigInt(payment.settleAtMs),
    ...(payment.settledAtMs !== undefined && { settledAtMs: BigInt(payment.settledAtMs) }),
    railReference: payment.railReference,
  };
}
