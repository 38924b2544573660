import { PAYMENT_LINK } from '../payment-link/payment-link.ts';
import type { Kind } from '../payment-request/kind.ts';
import { type Method, methodOf, partsOf } from '../payment-request/method.ts';
import { codec } from './document.ts';
import { sessionPayload } from './message.ts';
import { asSession, requestOfRailReference, SESSION, sessionReference, withDeclined } from './session.ts';

/** Openings of payment links, which are paid by the methods of other kinds. */
export function session(methods: readonly Method[]): Kind {
  return {
    name: SESSION,
    product: PAYMENT_LINK,
    events: {
      opened: 'payment-link-history.opened',
      paid: 'payment-link-history.paid',
      expired: 'payment-link-history.expired',
      reversed: 'payment-link-history.reversed',
    },
    codec,
    eventPayload: sessionPayload,
    chargedAs({ details }, hasFee) {
      const { paymentMethod } = asSession(details);
      // As a link where the merchant has any fee for links, else as the method that the customer has chosen (contract §5).
      if (hasFee(PAYMENT_LINK)) return { product: PAYMENT_LINK, channel: paymentMethod };
      const product = methodOf(methods, paymentMethod)?.product ?? PAYMENT_LINK;
      return { product, channel: partsOf(paymentMethod).channel };
    },
    nameOnBill: ({ details }) => asSession(details).customerName,
    parentIdOf: ({ details }) => asSession(details).linkId,
    idOfReference: (_rail, reference) => requestOfRailReference(reference),
    heldBy({ order, state, details }) {
      const reference = sessionReference(order.id);
      return asSession(details).issued.flatMap(({ method: code }) => {
        const { channel } = partsOf(code);
        return methodOf(methods, code)?.heldBy?.({ reference, channel, amountSen: state.minSen }) ?? [];
      });
    },
    declined(details, reference) {
      const code = codeOfReference(methods, reference);
      return code === undefined ? undefined : withDeclined(asSession(details), code);
    },
    // Entries of a link's history have no word for money that is gone again (contract §5).
    statusWhenReversed: 'failed',
  };
}

/** The code of the method that a rail knows by a reference; undefined where none has it. */
function codeOfReference(methods: readonly Method[], reference: string): string | undefined {
  const [own = '', channel = ''] = reference.split('-', 2);
  const method = methods.find(({ heldBy }) => heldBy?.({ reference: own, channel, amountSen: 0n }).reference === reference);
  if (method === undefined) return undefined;
  return channel === '' ? method.group : `${method.group}_${channel}`;
}
