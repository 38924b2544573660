import { create } from '@bufbuild/protobuf';
import {
  AmountType,
  type VaTransaction,
  VaTransactionSchema,
  type VirtualAccount,
  VirtualAccountSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { toWireStatus } from '../payable/figures.ts';
import { detailsOf, VIRTUAL_ACCOUNT } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';
import { figuresOf } from '../payment/payment.ts';
import type { StoredPayment } from '../payment/stored-payment.ts';

/** A virtual account as the contract between services shows it. */
export function toVirtualAccount(payable: StoredPayable): VirtualAccount {
  const { order, state } = payable;
  const details = detailsOf(payable.details, VIRTUAL_ACCOUNT);
  return create(VirtualAccountSchema, {
    id: order.publicId,
    merchantId: order.merchantId,
    accountId: order.accountId,
    number: details.number,
    bankCode: details.bank_code,
    kind: details.va_kind,
    amountType: details.amount_type,
    amountSen: details.amount_type === AmountType.CLOSED ? state.minSen : 0n,
    minAmountSen: state.minSen,
    maxAmountSen: state.maxSen,
    status: toWireStatus(state.status),
    currentUsage: state.used,
    ...(state.maxUses !== undefined && { maxUsage: state.maxUses }),
    ...(state.expiresAtMs !== undefined && { expiredAtMs: BigInt(state.expiresAtMs) }),
    name: details.name,
    merchantReffNo: order.merchantReffNo,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(payable.updatedAtMs),
  });
}

/** One payment of a virtual account; it has been paid. */
export function toVaTransaction({ order, state }: Pick<StoredPayment, 'order' | 'state'>): VaTransaction {
  const { virtualAccount } = order;
  if (virtualAccount === undefined) throw new Error(`payment ${order.id} is of no virtual account`);
  const figures = figuresOf(state);
  return create(VaTransactionSchema, {
    id: order.publicId,
    merchantId: order.merchantId,
    accountId: order.accountId,
    virtualAccountId: virtualAccount.id,
    number: virtualAccount.number,
    bankCode: virtualAccount.bankCode,
    merchantReffNo: order.merchantReffNo,
    figures: {
      amountSen: figures.amountSen,
      feeSen: figures.feeSen,
      netSen: figures.netSen,
      vendorFeeSen: figures.vendorFeeSen,
      ourMarginSen: figures.ourMarginSen,
      basisPoints: figures.basisPoints,
      paidAtMs: BigInt(order.paidAtMs),
      settleAtMs: BigInt(figures.settleAtMs),
      ...(state.status === 'settled' && { settledAtMs: BigInt(state.settledAtMs) }),
      railReference: order.railReference,
    },
  });
}
