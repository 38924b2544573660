import { randomInt } from 'node:crypto';
import { maskCardNumber } from '@gerbang/core';
import type { Context } from '../context.ts';
import { type Authorisation, newAcquirerReference, newNetworkTransactionId, statusOf } from './authorisations.ts';
import { issuerOf } from './issuer.ts';
import { cardAcquirerOf } from './open.ts';

// What the acquirer does with its books, by each protocol that it is asked by. What is not due leaves an authorisation as it is, so
// each of these may be repeated. Undefined: the reference is unknown.

type New = Pick<
  Authorisation,
  'reference' | 'amountSen' | 'merchantName' | 'returnUrl' | 'decline' | 'answersAtMs' | 'authentication' | 'initiatedBy'
> & { networkTransactionId: string | undefined };

/** An authorisation as it comes to the books. Of the card it keeps the mask only. */
export function newAuthorisation({ clock }: Context, cardNumber: string, asked: New): Authorisation {
  return {
    ...asked,
    acquirerReference: newAcquirerReference(clock),
    approvalCode: String(randomInt(1_000_000)).padStart(6, '0'),
    maskedCard: maskCardNumber(cardNumber),
    issuer: issuerOf(cardNumber),
    capturedAtMs: undefined,
    voidedAtMs: undefined,
    refund: undefined,
    networkTransactionId: asked.networkTransactionId ?? newNetworkTransactionId(),
  };
}

type Changed = Promise<Authorisation | undefined>;

export async function bookCapture(context: Context, reference: string, amountSen: bigint): Changed {
  const { authorisations } = await cardAcquirerOf(context);
  const atMs = context.clock.now();
  return authorisations.change(reference, (current) => {
    const isDue = statusOf(current, atMs) === 'authorised' && current.amountSen === amountSen;
    return isDue ? { ...current, capturedAtMs: atMs } : undefined;
  });
}

/** Also while the customer is being authenticated, and while the issuer has not answered. */
export async function bookVoid(context: Context, reference: string): Changed {
  const { authorisations } = await cardAcquirerOf(context);
  const atMs = context.clock.now();
  return authorisations.change(reference, (current) => {
    const status = statusOf(current, atMs);
    const isOpen = status === 'authorised' || status === 'challenge' || status === 'pending';
    return isOpen ? { ...current, voidedAtMs: atMs } : undefined;
  });
}

/** All of it, once. */
export async function bookRefund(
  context: Context,
  { reference, refundReference, amountSen }: { reference: string; refundReference: string; amountSen: bigint },
): Changed {
  const { authorisations } = await cardAcquirerOf(context);
  const given = { reference: refundReference, atMs: context.clock.now() };
  return authorisations.change(reference, (current) => {
    const isDue = statusOf(current, given.atMs) === 'captured' && current.amountSen === amountSen;
    return isDue ? { ...current, refund: given } : undefined;
  });
}
