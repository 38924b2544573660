import type { Method } from '../payment-request/method.ts';

export const CARD = 'CARD';

/** Cards: the form on the session's page is all that is issued, and the cards service has each payment. */
export const cardMethod: Method = {
  group: CARD,
  product: 'card',
  needs: 'card',
  issue: (_context, { channel }) => (channel === '' ? Promise.resolve('') : undefined),
};
