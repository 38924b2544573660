import { RefusalError, refuseField } from '@gerbang/core';
import type { Method } from '../payment-request/method.ts';
import { askWallet } from './ask-wallet.ts';
import { EWALLET_CHECKOUT, EWALLET_RAIL } from './ewallet-checkout.ts';

/**
 * A confirmation in a wallet. Each wallet knows the payment by the reference with its own channel, so that a customer may try one
 * after the other.
 */
export const walletMethod: Method = {
  group: 'EWALLET',
  product: EWALLET_CHECKOUT,
  async issue(context, { channel, amountSen, expiresAtMs, customerPhone, returnUrl, ...asked }) {
    if (channel === 'OVO' && customerPhone === '') throw new RefusalError(refuseField('customer_phone', 'is required for OVO'));
    const reference = walletReference(asked.reference, channel);
    return (await askWallet(context, { reference, channel, amountSen, expiresAtMs, customerPhone, returnUrl })) ?? '';
  },
  heldBy: ({ reference, channel, amountSen }) => ({
    rail: EWALLET_RAIL,
    reference: walletReference(reference, channel),
    amountSen,
  }),
};

function walletReference(reference: string, channel: string): string {
  return `${reference}-${channel}`;
}
