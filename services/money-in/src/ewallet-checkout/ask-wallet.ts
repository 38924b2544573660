import { RefusalError, refuse } from '@gerbang/core';
import { callWithin } from '@gerbang/rails';
import type { Context } from '../context.ts';

/**
 * Asks the customer to pay, once. Gives where the customer confirms, where the wallet has such a page; undefined also where the
 * wallet has not answered: the customer may have been asked all the same, and it is never asked again under this reference.
 * Refusals: transaction_failed (the wallet says no).
 */
export async function askWallet(
  context: Pick<Context, 'rails' | 'railTimeoutMs' | 'log'>,
  asked: { reference: string; channel: string; amountSen: bigint; customerPhone: string; returnUrl: string; expiresAtMs: number },
): Promise<string | undefined> {
  const { reference, channel, amountSen, customerPhone, returnUrl, expiresAtMs } = asked;
  const request = {
    partnerReference: reference,
    channel,
    amountSen,
    customerPhone: customerPhone === '' ? undefined : customerPhone,
    returnUrl: returnUrl === '' ? undefined : returnUrl,
    expiresAtMs,
  };
  const created = await callWithin(context.railTimeoutMs, (signal) => context.rails.ewallet.createPayment(request, { signal }));
  switch (created.outcome) {
    case 'pending':
      return created.redirectUrl;
    case 'failed':
      throw new RefusalError(refuse('transaction_failed', { message: 'The e-wallet does not take this payment' }));
    case 'unknown':
      context.log.warn({ reference, reason: created.reason }, 'an e-wallet has not answered; the customer may have been asked');
      return undefined;
    default:
      return created satisfies never;
  }
}
