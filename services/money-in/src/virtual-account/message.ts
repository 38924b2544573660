import { create, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import {
  AmountType,
  type VaTransaction,
  VaTransactionEventSchema,
  VaTransactionSchema,
  type VirtualAccount,
  VirtualAccountEventSchema,
  VirtualAccountKind,
  VirtualAccountSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Payment } from '../payment/order.ts';
import { feesOf } from '../payment/payment.ts';
import { toWireStatus } from '../payment-request/message.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import { asVirtualAccount } from './virtual-account.ts';

/** A virtual account as the contract between services shows it. */
export function toVirtualAccount(request: PaymentRequest): VirtualAccount {
  const { order, state } = request;
  const { number, bankCode, lifetime, amountType, name } = asVirtualAccount(request.details);
  return create(VirtualAccountSchema, {
    id: order.publicId,
    merchantId: order.merchantId,
    accountId: order.accountId,
    number,
    bankCode,
    kind: lifetime === 'temporary' ? VirtualAccountKind.TEMPORARY : VirtualAccountKind.PERMANENT,
    amountType: amountType === 'open' ? AmountType.OPEN : AmountType.CLOSED,
    amountSen: amountType === 'closed' ? state.minSen : 0n,
    minAmountSen: state.minSen,
    maxAmountSen: state.maxSen,
    status: toWireStatus(state.status),
    currentUsage: state.used,
    ...(state.maxUses !== undefined && { maxUsage: state.maxUses }),
    ...(state.expiresAtMs !== undefined && { expiredAtMs: BigInt(state.expiresAtMs) }),
    name,
    merchantReffNo: order.merchantReffNo,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(request.updatedAtMs),
  });
}

/** The payload of a virtual account's events. */
export function virtualAccountPayload(request: PaymentRequest): Uint8Array {
  const event = create(VirtualAccountEventSchema, { virtualAccount: toVirtualAccount(request) });
  return toBinary(VirtualAccountEventSchema, event);
}

/** A payment of a virtual account is a resource of its own, and merchants are notified of it. */
export function vaTransactionPaid(payment: Payment): { type: EventType<'money-in'>; payload: Uint8Array } {
  const event = create(VaTransactionEventSchema, { vaTransaction: toVaTransaction(payment) });
  return { type: 'va-transaction.paid', payload: toBinary(VaTransactionEventSchema, event) };
}

/** One payment of a virtual account; it has been paid. */
export function toVaTransaction({ order, state }: Payment): VaTransaction {
  const { paidNumber } = order;
  if (paidNumber === undefined) throw new Error(`payment ${order.id} is of no virtual account`);
  const fees = feesOf(state);
  return create(VaTransactionSchema, {
    id: order.publicId,
    merchantId: order.merchantId,
    accountId: order.accountId,
    virtualAccountId: paidNumber.id,
    number: paidNumber.number,
    bankCode: paidNumber.bankCode,
    merchantReffNo: order.merchantReffNo,
    figures: {
      amountSen: fees.amountSen,
      feeSen: fees.feeSen,
      netSen: fees.netSen,
      vendorFeeSen: fees.vendorFeeSen,
      ourMarginSen: fees.ourMarginSen,
      basisPoints: fees.basisPoints,
      paidAtMs: BigInt(order.paidAtMs),
      settleAtMs: BigInt(fees.settleAtMs),
      ...(state.status === 'settled' && { settledAtMs: BigInt(state.settledAtMs) }),
      railReference: order.railReference,
    },
  });
}
