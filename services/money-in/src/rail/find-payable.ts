import { bankOfVaNumber, chainOfPaymentCode } from '@gerbang/core';
import type { Context } from '../context.ts';
import { payableOfCheckoutId } from '../ewallet-checkout/message.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';
import { payableOfQrisReference } from '../qris/message.ts';

type FindContext = Pick<Context, 'payables' | 'claims' | 'vaSeries'>;

/** What a number at a bank is for; undefined where it is nobody's, or of a bank that the partner does not speak for (an empty list: all of them). */
export async function findByVaNumber(
  context: FindContext,
  number: string,
  bankCodes: readonly string[],
): Promise<StoredPayable | undefined> {
  const bank = bankOfVaNumber(context.vaSeries, number);
  if (bank === undefined || (bankCodes.length > 0 && !bankCodes.includes(bank))) return undefined;
  return findOwner(context, await context.claims.ownerOf('va', number));
}

/** What a code at a till is for; undefined likewise. */
export async function findByPaymentCode(
  context: FindContext,
  paymentCode: string,
  retailCodes: readonly string[],
): Promise<StoredPayable | undefined> {
  const chain = chainOfPaymentCode(paymentCode);
  if (chain === undefined || (retailCodes.length > 0 && !retailCodes.includes(chain))) return undefined;
  return findOwner(context, await context.claims.ownerOf('retail', paymentCode));
}

/** What a QRIS code is for, by the reference under which it was generated: a QRIS transaction, or an opened payment link. */
export async function findByQrisReference(context: FindContext, reference: string): Promise<StoredPayable | undefined> {
  return findOwner(context, payableOfQrisReference(reference) ?? payableOfSession(reference));
}

/** What an e-wallet checkout is for: its own transaction, or an opened payment link. */
export async function findByCheckoutReference(context: FindContext, reference: string): Promise<StoredPayable | undefined> {
  return findOwner(context, payableOfCheckoutId(reference) ?? payableOfSession(reference));
}

/** The reference of an opened payment link, at rails that take Gerbang's own; an e-wallet's has its channel behind it. */
function payableOfSession(reference: string): string | undefined {
  const ulid = /^PH([0-9A-HJKMNP-TV-Z]{26})(?:-[A-Z]+)?$/.exec(reference)?.[1];
  return ulid === undefined ? undefined : `payment-link-history:${ulid}`;
}

function findOwner({ payables }: FindContext, id: string | undefined): Promise<StoredPayable | undefined> {
  return id === undefined ? Promise.resolve(undefined) : payables.find(id);
}
