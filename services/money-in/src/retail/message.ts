import { create } from '@bufbuild/protobuf';
import { type RetailTransaction, RetailTransactionSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { toWireFigures, toWireStatus } from '../payable/figures.ts';
import { detailsOf, RETAIL } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';

/** A retail transaction as the contract between services shows it. */
export function toRetailTransaction(payable: StoredPayable): RetailTransaction {
  const { order, state, payment } = payable;
  const details = detailsOf(payable.details, RETAIL);
  return create(RetailTransactionSchema, {
    transactionId: order.publicId,
    merchantId: order.merchantId,
    accountId: order.accountId,
    paymentCode: details.payment_code,
    retailCode: details.retail_code,
    status: toWireStatus(state.status),
    amountSen: state.minSen,
    customerName: details.customer_name,
    merchantReffNo: order.merchantReffNo,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(payable.updatedAtMs),
    expiredAtMs: BigInt(state.expiresAtMs ?? 0),
    ...(payment !== undefined && { figures: toWireFigures(payment) }),
  });
}
