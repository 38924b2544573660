import { create, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import {
  EwalletCheckoutEventSchema,
  PaymentLinkEventSchema,
  PaymentLinkHistoryEventSchema,
  QrisEventSchema,
  RetailEventSchema,
  VirtualAccountEventSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { NewEvent } from '@gerbang/store';
import { toEwalletCheckout } from '../ewallet-checkout/message.ts';
import { toHistory, toPaymentLink } from '../payment-link/message.ts';
import { toQrisTransaction } from '../qris/message.ts';
import { toRetailTransaction } from '../retail/message.ts';
import { toVirtualAccount } from '../virtual-account/message.ts';
import { EWALLET_CHECKOUT, type Kind, PAYMENT_LINK, PAYMENT_LINK_HISTORY, QRIS, RETAIL, VIRTUAL_ACCOUNT } from './product.ts';
import type { StoredPayable } from './stored-payable.ts';

/** What others hear of a payable. */
export type Announced = 'opened' | 'changed' | 'paid' | 'expired' | 'deleted' | 'failed';

/** The events of each kind, all of which stand in the catalogue. */
const TYPES: Readonly<Record<Kind, { readonly [What in Announced]?: EventType<'money-in'> }>> = {
  [VIRTUAL_ACCOUNT]: {
    changed: 'virtual-account.changed',
    deleted: 'virtual-account.deleted',
    expired: 'virtual-account.expired',
  },
  [QRIS]: { paid: 'qris.paid', expired: 'qris.expired' },
  [EWALLET_CHECKOUT]: {
    paid: 'ewallet-checkout.paid',
    failed: 'ewallet-checkout.failed',
    expired: 'ewallet-checkout.expired',
  },
  [RETAIL]: { paid: 'retail.paid', expired: 'retail.expired' },
  [PAYMENT_LINK]: { changed: 'payment-link.changed', deleted: 'payment-link.deleted', expired: 'payment-link.expired' },
  [PAYMENT_LINK_HISTORY]: {
    opened: 'payment-link-history.opened',
    paid: 'payment-link-history.paid',
    expired: 'payment-link-history.expired',
  },
};

/** The event that a change means, "<kind>.<what>": the payable as it is after the change. A history's comes with its link. */
export function announce(
  after: StoredPayable,
  what: Announced,
  nowMs: number,
  link?: StoredPayable,
): NewEvent<EventType<'money-in'>>[] {
  const counted = { ...after, eventsCount: after.eventsCount + 1 };
  const { kind } = after.details;
  const type = TYPES[kind][what];
  if (type === undefined) throw new Error(`the catalogue of events has no ${kind}.${what}`);
  return [{ type, schema: 1, payload: payloadOf(counted, nowMs, link), atMs: nowMs }];
}

function payloadOf(payable: StoredPayable, nowMs: number, link: StoredPayable | undefined): Uint8Array {
  const { kind } = payable.details;
  switch (kind) {
    case VIRTUAL_ACCOUNT:
      return toBinary(
        VirtualAccountEventSchema,
        create(VirtualAccountEventSchema, { virtualAccount: toVirtualAccount(payable) }),
      );
    case QRIS:
      return toBinary(QrisEventSchema, create(QrisEventSchema, { qrisTransaction: toQrisTransaction(payable, nowMs) }));
    case EWALLET_CHECKOUT:
      return toBinary(
        EwalletCheckoutEventSchema,
        create(EwalletCheckoutEventSchema, { ewalletCheckout: toEwalletCheckout(payable) }),
      );
    case RETAIL:
      return toBinary(RetailEventSchema, create(RetailEventSchema, { retailTransaction: toRetailTransaction(payable) }));
    case PAYMENT_LINK:
      return toBinary(PaymentLinkEventSchema, create(PaymentLinkEventSchema, { paymentLink: toPaymentLink(payable) }));
    case PAYMENT_LINK_HISTORY: {
      if (link === undefined) throw new Error(`an event of ${payable.order.id} needs its link`);
      const event = { paymentLinkHistory: toHistory(payable), paymentLink: toPaymentLink(link) };
      return toBinary(PaymentLinkHistoryEventSchema, create(PaymentLinkHistoryEventSchema, event));
    }
    default:
      return kind satisfies never;
  }
}
