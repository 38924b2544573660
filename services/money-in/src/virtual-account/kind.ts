import type { VaSeries } from '@gerbang/core';
import type { Kind } from '../payment-request/kind.ts';
import { codec } from './document.ts';
import { vaTransactionPaid, virtualAccountPayload } from './message.ts';
import { vaMethod } from './method.ts';
import { bankRail } from './rail.ts';
import { asVirtualAccount, VIRTUAL_ACCOUNT } from './virtual-account.ts';

/** Numbers at a bank that customers transfer to, once or many times. */
export function virtualAccount(vaSeries: VaSeries): Kind {
  return {
    name: VIRTUAL_ACCOUNT,
    product: VIRTUAL_ACCOUNT,
    events: { changed: 'virtual-account.changed', deleted: 'virtual-account.deleted', expired: 'virtual-account.expired' },
    codec,
    rail: bankRail(vaSeries),
    method: vaMethod(vaSeries),
    eventPayload: virtualAccountPayload,
    chargedAs: ({ details }) => ({ product: VIRTUAL_ACCOUNT, channel: asVirtualAccount(details).bankCode }),
    nameOnBill: ({ details }) => asVirtualAccount(details).name,
    ownPayments: {
      numberOf({ order, details }) {
        const { number, bankCode } = asVirtualAccount(details);
        return { id: order.publicId, number, bankCode };
      },
      paidEvent: vaTransactionPaid,
    },
  };
}
