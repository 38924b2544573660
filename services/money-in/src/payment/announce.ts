import { create, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import { VaTransactionEventSchema } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { NewEvent } from '@gerbang/store';
import { toVaTransaction } from '../virtual-account/message.ts';
import type { StoredPayment } from './stored-payment.ts';

/** A payment of a virtual account is a resource of its own, which its merchant hears of; what else is paid tells of itself. */
export function announcePaid(payment: StoredPayment, nowMs: number): NewEvent<EventType<'money-in'>>[] {
  if (payment.order.virtualAccount === undefined) return [];
  const event = create(VaTransactionEventSchema, { vaTransaction: toVaTransaction(payment) });
  return [{ type: 'va-transaction.paid', schema: 1, payload: toBinary(VaTransactionEventSchema, event), atMs: nowMs }];
}
