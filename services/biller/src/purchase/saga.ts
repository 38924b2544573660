import { prepaidToken } from '@gerbang/keys';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { callWithin } from '@gerbang/rails';
import type { PrepaidPurchaseResult } from '@gerbang/rails/prepaid';
import { withinOr } from '@gerbang/runtime';
import { change, type PurchaseContext } from './change.ts';
import { requestOf, type StoredPurchase } from './document.ts';
import { isRefused, postHold, postOutcome } from './posting.ts';
import type { PurchaseCommand } from './purchase.ts';
import { HELD_AFTER_MS, UNRESOLVED_AFTER_MS } from './schedule.ts';

/**
 * Has the ledger hold the price, always under the same posting key. Nothing is shown of the purchase yet. Refusals:
 * insufficient_balance (the purchase is gone and its reference free again), unavailable, timeout (it is taken up again by its
 * timer).
 */
export async function holdPrice(context: PurchaseContext, created: StoredPurchase): Promise<void> {
  try {
    await postHold(context, created);
  } catch (error) {
    if (isRefused(error, ['insufficient_balance', 'account_limit'])) await context.purchases.remove(created);
    throw error;
  }
}

/**
 * Sends a purchase whose price is held to the biller and settles what it answers; for one that was sent before the same request
 * asks how it came out. Acceptance and outcome are one write, unless the biller takes its time. What the biller does is never an
 * error: an open outcome stays open, and is asked about again. `firstSend` only where no other process can have sent it.
 */
export async function buy(
  context: PurchaseContext,
  purchase: StoredPurchase,
  { firstSend }: { firstSend: boolean },
): Promise<StoredPurchase> {
  const answering = callWithin(context.railTimeoutMs, (signal) =>
    context.rail.purchase(requestOf(purchase.order), { signal, firstSend }),
  );
  const answer = await withinOr(HELD_AFTER_MS, answering, undefined);
  if (answer !== undefined) return settle(context, purchase, answer);
  const held = await writeHeld(context, purchase);
  return settle(context, held, await answering);
}

/** Shows a purchase whose price is held as pending. */
export function writeHeld(context: PurchaseContext, purchase: StoredPurchase): Promise<StoredPurchase> {
  return change(context, purchase, [{ type: 'hold' }]);
}

/** Writes what the biller says of a purchase whose price is held, the ledger first. */
export async function settle(
  context: PurchaseContext,
  purchase: StoredPurchase,
  answer: PrepaidPurchaseResult,
): Promise<StoredPurchase> {
  return change(context, purchase, [{ type: 'hold' }, await commandFor(context, purchase, answer)]);
}

async function commandFor(
  context: PurchaseContext,
  purchase: StoredPurchase,
  answer: PrepaidPurchaseResult,
): Promise<PurchaseCommand> {
  switch (answer.outcome) {
    case 'pending':
      return wait(context, purchase, 'pending at the biller');
    case 'unknown':
      return wait(context, purchase, answer.reason, { isLost: answer.needsOperator === true });
    case 'succeeded':
      return succeed(context, purchase, answer);
    case 'failed': {
      const { code, reason, isDepositShort } = answer;
      if (isDepositShort) context.log.error({ alert: 'biller_deposit_short', code }, 'our deposit at the biller is too small');
      if ((await postOutcome(context, purchase, Intent.RELEASE)) === Intent.CAPTURE)
        return contradiction(context, purchase, 'the biller says that it has failed, and the price is captured');
      return { type: 'fail', failure: { code, reason } };
    }
    default:
      return answer satisfies never;
  }
}

/** A token that another purchase has got is no success: the merchant is not charged for it and does not get it before operators have looked. */
async function succeed(
  context: PurchaseContext,
  purchase: StoredPurchase,
  { railReference, serialNumber, token }: Extract<PrepaidPurchaseResult, { outcome: 'succeeded' }>,
): Promise<PurchaseCommand> {
  const { referenceNumber, transactionId } = purchase.order;
  if (token !== undefined && !(await context.givenTokens.claim(token, referenceNumber))) {
    if (!isUnresolved(purchase)) {
      context.metrics.duplicateToken();
      const fields = { alert: 'biller_duplicate_token', transaction_id: transactionId };
      context.log.error(fields, 'the biller gives a token that another purchase has got; it is not handed out');
    }
    return wait(context, purchase, 'the biller gives a token that another purchase has got', { isLost: true });
  }
  // Before the price is captured: where the keys can't be reached, the purchase waits for its timer.
  const sealedToken = token === undefined ? undefined : await context.keys.seal(prepaidToken(referenceNumber), token);
  if ((await postOutcome(context, purchase, Intent.CAPTURE)) === Intent.RELEASE)
    return contradiction(context, purchase, 'the biller says that it has succeeded, and the price is released');
  return { type: 'succeed', receipt: { railReference, serialNumber, sealedToken } };
}

/** The biller has said the opposite before, and the ledger has booked that: two operators decide what is true. */
function contradiction(context: PurchaseContext, purchase: StoredPurchase, reason: string): PurchaseCommand {
  if (!isUnresolved(purchase)) {
    const { transactionId: transaction_id } = purchase.order;
    context.metrics.contradicted();
    context.log.error({ alert: 'rail_contradiction', transaction_id, reason }, 'the biller contradicts itself; operators decide');
  }
  return wait(context, purchase, reason, { isLost: true });
}

/** Whether operators know of it already: they are alerted once. */
function isUnresolved({ state }: StoredPurchase): boolean {
  return state.status === 'held' && state.unresolvedAtMs !== undefined;
}

/** Leaves the outcome open until the next question. `isLost`: it goes to the operators now. */
function wait(
  { clock }: PurchaseContext,
  { order }: StoredPurchase,
  reason: string,
  { isLost = false }: { isLost?: boolean } = {},
): PurchaseCommand {
  const isOverdue = clock.now() - order.createdAtMs >= UNRESOLVED_AFTER_MS;
  return { type: 'wait', reason, unresolved: isLost || isOverdue };
}
