import { create, toBinary } from '@bufbuild/protobuf';
import { RetailEventSchema, type RetailTransaction, RetailTransactionSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { toWireFees, toWireStatus } from '../payment-request/message.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import { asRetail } from './retail.ts';

/** A retail transaction as the contract between services shows it. */
export function toRetailTransaction(request: PaymentRequest): RetailTransaction {
  const { order, state, payment } = request;
  const { paymentCode, retailCode, customerName } = asRetail(request.details);
  return create(RetailTransactionSchema, {
    transactionId: order.publicId,
    merchantId: order.merchantId,
    accountId: order.accountId,
    paymentCode,
    retailCode,
    status: toWireStatus(state.status),
    amountSen: state.minSen,
    customerName,
    merchantReffNo: order.merchantReffNo,
    createdAtMs: BigInt(order.createdAtMs),
    updatedAtMs: BigInt(request.updatedAtMs),
    expiredAtMs: BigInt(state.expiresAtMs ?? 0),
    ...(payment !== undefined && { figures: toWireFees(payment) }),
  });
}

/** The payload of its events. */
export function retailPayload(request: PaymentRequest): Uint8Array {
  const event = create(RetailEventSchema, { retailTransaction: toRetailTransaction(request) });
  return toBinary(RetailEventSchema, event);
}
