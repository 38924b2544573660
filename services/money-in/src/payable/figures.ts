import type { MessageInitShape } from '@bufbuild/protobuf';
import { type PaymentFiguresSchema, PayableStatus as WireStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { PayableStatus } from './payable.ts';
import type { Payment } from './stored-payable.ts';

const STATUSES: Record<PayableStatus, WireStatus> = {
  active: WireStatus.ACTIVE,
  completed: WireStatus.COMPLETED,
  expired: WireStatus.EXPIRED,
  inactive: WireStatus.INACTIVE,
  failed: WireStatus.FAILED,
};

/** A status as the contract between services names it. */
export function toWireStatus(status: PayableStatus): WireStatus {
  return STATUSES[status];
}

/** The status that a list's filter names; undefined for any. */
export function fromWireStatus(wire: WireStatus): PayableStatus | undefined {
  for (const status of ['active', 'completed', 'expired', 'inactive', 'failed'] as const)
    if (STATUSES[status] === wire) return status;
  return undefined;
}

/** The figures of the one payment that a payable shows. */
export function toWireFigures(payment: Payment): MessageInitShape<typeof PaymentFiguresSchema> {
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
