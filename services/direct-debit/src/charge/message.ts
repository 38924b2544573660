import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import {
  ChargeFinishedSchema,
  ChargeStatus,
  RefundFinishedSchema,
  type RefundSchema,
  RefundStatus,
  type TransactionSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { NewEvent } from '@gerbang/store';
import { type ChargeOrder, type ChargeState, isCharged, type PublishedCharge, type Refund, refundedSen } from './state.ts';

type Shown = { order: ChargeOrder; state: ChargeState };

export function toTransactionMessage({ order, state }: Shown): MessageInitShape<typeof TransactionSchema> {
  const charged = isCharged(state) ? state : undefined;
  const hasFees = charged !== undefined && charged.status !== 'crediting';
  return {
    transactionId: order.id,
    merchantId: order.merchantId,
    accountId: order.accountId,
    bindingId: order.bindingId,
    bankCode: order.bankCode,
    customerId: order.customerId,
    referenceNumber: order.referenceNumber,
    amountSen: order.amountSen,
    feeSen: hasFees ? charged.fees.feeSen : 0n,
    netSen: hasFees ? charged.fees.netSen : 0n,
    description: order.description,
    status: statusOf(order, state),
    requiresOtp:
      order.requiresOtp || state.status === 'awaiting-otp' || (state.status === 'sending' && state.chargeToken !== undefined),
    ...(state.status === 'awaiting-otp' && {
      otpAttemptsLeft: state.otp.attemptsLeft,
      otpExpiredAtMs: BigInt(state.otp.expiresAtMs),
    }),
    failedCode: state.status === 'failed' ? state.code : '',
    failedReason: failedReasonOf(state),
    createdAtMs: BigInt(order.createdAtMs),
    ...(hasFees && { processedAtMs: BigInt(charged.chargedAtMs), settleAtMs: BigInt(charged.fees.settleAtMs) }),
    ...('endedAtMs' in state && { processedAtMs: BigInt(state.endedAtMs) }),
    hasSettled: state.status === 'settled',
    refunds: shownRefunds(state).map(toRefundMessage),
    refundedSen: charged === undefined ? 0n : refundedSen(charged),
  };
}

export function toRefundMessage({
  id,
  referenceNumber,
  amountSen,
  stage,
  createdAtMs,
}: Refund): MessageInitShape<typeof RefundSchema> {
  const isRefused = stage.status === 'failed';
  return {
    refundId: id,
    referenceNumber,
    amountSen,
    status: refundStatusOf(stage.status),
    createdAtMs: BigInt(createdAtMs),
    ...('endedAtMs' in stage && { finishedAtMs: BigInt(stage.endedAtMs) }),
    failedCode: isRefused ? stage.code : '',
    failedReason: isRefused ? stage.reason : '',
  };
}

export function toChargeEvent(shown: Shown, published: PublishedCharge, atMs: number): NewEvent<EventType<'direct-debit'>> {
  const type = `direct-debit.${published.event}` as const;
  const transaction = toTransactionMessage(shown);
  if (!('refundId' in published)) {
    const payload = toBinary(ChargeFinishedSchema, create(ChargeFinishedSchema, { transaction }));
    return { type, schema: 1, payload, atMs };
  }
  const refund = shownRefunds(shown.state).find(({ id }) => id === published.refundId);
  if (refund === undefined) throw new Error(`charge ${shown.order.id} has no refund ${published.refundId}`);
  const message = create(RefundFinishedSchema, { transaction, refund: toRefundMessage(refund) });
  return { type, schema: 1, payload: toBinary(RefundFinishedSchema, message), atMs };
}

/** One whose money is not reserved yet may still be refused as if it had never been ordered. */
function shownRefunds(state: ChargeState): readonly Refund[] {
  return isCharged(state) ? state.refunds.filter(({ stage }) => stage.status !== 'reserving') : [];
}

function failedReasonOf(state: ChargeState): string {
  if (state.status === 'expired') return 'The OTP was not given in time';
  return state.status === 'failed' ? state.reason : '';
}

function statusOf({ requiresOtp }: ChargeOrder, { status }: ChargeState): ChargeStatus {
  switch (status) {
    case 'created':
      return requiresOtp ? ChargeStatus.PENDING_OTP : ChargeStatus.PENDING;
    case 'awaiting-otp':
      return ChargeStatus.PENDING_OTP;
    case 'sending':
    case 'crediting':
      return ChargeStatus.PENDING;
    case 'paid':
    case 'settling':
    case 'settled':
      return ChargeStatus.SUCCESS;
    case 'failed':
      return ChargeStatus.FAILED;
    case 'expired':
      return ChargeStatus.EXPIRED;
    default:
      return status satisfies never;
  }
}

/** The stored statuses that a merchant sees as this one. */
export function storedStatuses(status: ChargeStatus): { status: { $in: ChargeState['status'][] }; requires_otp?: boolean }[] {
  switch (status) {
    case ChargeStatus.UNSPECIFIED:
      return [];
    case ChargeStatus.PENDING_OTP:
      return [{ status: { $in: ['awaiting-otp'] } }, { status: { $in: ['created'] }, requires_otp: true }];
    case ChargeStatus.PENDING:
      return [{ status: { $in: ['sending', 'crediting'] } }, { status: { $in: ['created'] }, requires_otp: false }];
    case ChargeStatus.SUCCESS:
      return [{ status: { $in: ['paid', 'settling', 'settled'] } }];
    case ChargeStatus.FAILED:
      return [{ status: { $in: ['failed'] } }];
    case ChargeStatus.EXPIRED:
      return [{ status: { $in: ['expired'] } }];
    default:
      return status satisfies never;
  }
}

function refundStatusOf(status: Refund['stage']['status']): RefundStatus {
  switch (status) {
    case 'reserving':
    case 'sending':
    case 'returning':
      return RefundStatus.PENDING;
    case 'succeeded':
      return RefundStatus.SUCCESS;
    case 'failed':
      return RefundStatus.FAILED;
    default:
      return status satisfies never;
  }
}
