import type { Kind } from '../payment-request/kind.ts';
import { codec } from './document.ts';
import { qrisPayload } from './message.ts';
import { qrisMethod } from './method.ts';
import { QRIS, qrisReference, requestOfQrisReference } from './qris.ts';
import { qrisRail } from './rail.ts';
import { tipFits, tipWithin } from './tip.ts';

/** Codes that merchants show, each paid once. */
export const qris: Kind = {
  name: QRIS,
  product: QRIS,
  events: { paid: 'qris.paid', expired: 'qris.expired', reversed: 'qris.reversed' },
  codec,
  rail: qrisRail,
  method: qrisMethod,
  eventPayload: qrisPayload,
  chargedAs: () => ({ product: QRIS, channel: '' }),
  idOfReference: (rail, reference) => (rail === QRIS ? requestOfQrisReference(reference) : undefined),
  heldBy: ({ order, state }) => [{ rail: QRIS, reference: qrisReference(order.id), amountSen: state.minSen }],
  tips: { fits: tipFits, within: tipWithin },
  statusWhenReversed: 'reversed',
};
