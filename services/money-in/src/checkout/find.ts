import { RefusalError, refuse } from '@gerbang/core';
import type { Context } from '../context.ts';
import { detailsOf, PAYMENT_LINK, PAYMENT_LINK_HISTORY } from '../payable/product.ts';
import type { StoredPayable } from '../payable/stored-payable.ts';
import { payableOfLinkReference } from '../payment-link/message.ts';

type FindContext = Pick<Context, 'payables'>;

/** The link of a reference. Refusals: transaction_not_found. */
export async function findLink(context: FindContext, reference: string): Promise<StoredPayable> {
  const id = payableOfLinkReference(PAYMENT_LINK, reference);
  const found = id === undefined ? undefined : await context.payables.find(id);
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}

/** The session of a reference, with its link. Refusals: transaction_not_found. */
export async function findSession(
  context: FindContext,
  reference: string,
): Promise<{ history: StoredPayable; link: StoredPayable }> {
  const id = payableOfLinkReference(PAYMENT_LINK_HISTORY, reference);
  const history = id === undefined ? undefined : await context.payables.find(id);
  const link = history && (await context.payables.find(detailsOf(history.details, PAYMENT_LINK_HISTORY).link));
  if (history === undefined || link === undefined) throw new RefusalError(refuse('transaction_not_found'));
  return { history, link };
}
