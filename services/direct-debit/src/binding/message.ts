import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import { BindingChangedSchema, type BindingSchema, BindingStatus } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { NewEvent } from '@gerbang/store';
import type { BindingOrder } from './document.ts';
import type { BindingState, Published } from './state.ts';

type Shown = { order: BindingOrder; state: BindingState; handoverCode: string | undefined };

const NUMBER_END = 4;

/** A binding as other services see it: no secret, and no whole number of the customer. */
export function toBindingMessage({ order, state, handoverCode }: Shown): MessageInitShape<typeof BindingSchema> {
  const account = state.status === 'active' || state.status === 'unbound' ? state.account : undefined;
  const hasBound = state.status === 'active' || state.status === 'unbound';
  return {
    bindingId: order.id,
    merchantId: order.merchantId,
    accountId: order.accountId,
    bankCode: order.bankCode,
    customerId: order.customerId,
    customerName: order.customerName,
    customerPhoneEnd: order.phoneEnd,
    status: statusOf(state),
    failedReason: state.status === 'failed' ? state.reason : '',
    unboundBy: state.status === 'unbound' ? state.by : '',
    bankAccountEnd: account?.number.slice(-NUMBER_END) ?? '',
    bankAccountName: account?.name ?? '',
    createdAtMs: BigInt(order.createdAtMs),
    expiredAtMs: BigInt(order.expiresAtMs),
    ...(hasBound && { boundAtMs: BigInt(state.boundAtMs) }),
    ...(state.status === 'unbound' && { unboundAtMs: BigInt(state.unboundAtMs) }),
    handoverCode: handoverCode ?? '',
    redirectUrl: order.redirectUrl,
  };
}

export function toBindingEvent(shown: Shown, published: Published, atMs: number): NewEvent<EventType<'direct-debit'>> {
  const payload = toBinary(BindingChangedSchema, create(BindingChangedSchema, { binding: toBindingMessage(shown) }));
  return { type: `direct-debit.${published}`, schema: 1, payload, atMs };
}

function statusOf({ status }: BindingState): BindingStatus {
  switch (status) {
    case 'awaiting-consent':
    case 'awaiting-otp':
    case 'connecting':
      return BindingStatus.PENDING;
    case 'active':
      return BindingStatus.ACTIVE;
    case 'failed':
      return BindingStatus.FAILED;
    case 'expired':
      return BindingStatus.EXPIRED;
    case 'unbound':
      return BindingStatus.UNBOUND;
    default:
      return status satisfies never;
  }
}

/** The stored statuses that a merchant sees as this one. */
export const STORED_BINDING_STATUSES: Readonly<Record<BindingStatus, readonly BindingState['status'][]>> = {
  [BindingStatus.UNSPECIFIED]: [],
  [BindingStatus.PENDING]: ['awaiting-consent', 'awaiting-otp', 'connecting'],
  [BindingStatus.ACTIVE]: ['active'],
  [BindingStatus.FAILED]: ['failed'],
  [BindingStatus.EXPIRED]: ['expired'],
  [BindingStatus.UNBOUND]: ['unbound'],
};
