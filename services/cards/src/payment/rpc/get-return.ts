import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError, refuse } from '@gerbang/core';
import type { GetReturnRequest } from '@gerbang/proto/gerbang/cards/v1/cards';
import type { Context } from '../../context.ts';
import type { StoredPayment } from '../document.ts';
import { statusOf, toChallenge, toPaymentMessage } from '../message.ts';
import { isPaymentId } from '../own.ts';
import { isOpen, lookAgain } from '../report.ts';

const WORK_MS_MAX = 1_000;
const LOOK_EVERY_MS = 20;

/**
 * The acquirer reports in the moment in which its customer comes back, so that this process may be asking about the payment right
 * now. Its answer is waited for: what stood there before would lead the customer to the issuer once more.
 */
async function findAfterWork({ inProgress, payments }: Context, id: string): Promise<StoredPayment | undefined> {
  const endMs = performance.now() + WORK_MS_MAX;
  while (inProgress.has(id) && performance.now() < endMs) await sleep(LOOK_EVERY_MS);
  return payments.find(id);
}

/**
 * What the page shows to which a customer comes back from 3DS. Coming back proves nothing: where the payment is open the acquirer is
 * asked, but not for each of a page's reloads. Refusals: transaction_not_found.
 */
export async function getReturn(context: Context, { id }: GetReturnRequest) {
  const found = isPaymentId(id) ? await findAfterWork(context, id) : undefined;
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  // Who comes back from the issuer finds out at once, since the page that leads there does not load itself anew.
  const isEnough = found.state.status === 'authorising' && context.latelyAsked.has(id);
  const payment = isOpen(found.state) && !isEnough ? await lookAgain(context, found) : found;
  const { amountSen, merchantName, redirectUrl, link } = payment.order;
  const { processedAtMs = 0n } = toPaymentMessage(payment);
  return {
    id,
    status: statusOf(payment.state),
    amountSen,
    merchantName,
    redirectUrl,
    processedAtMs,
    ...toChallenge(payment.state),
    linkReffNo: link?.linkReffNo ?? '',
    sessionReffNo: link?.sessionReffNo ?? '',
  };
}
