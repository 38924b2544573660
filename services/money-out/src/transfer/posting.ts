import { type RefusalCode, RefusalError } from '@gerbang/core';
import { Compensation, Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { change, type SagaContext } from './change.ts';
import type { StoredTransfer } from './document.ts';
import { type DueCompensation, dueCompensation } from './state.ts';
import type { TransferCommand } from './transfer.ts';

/**
 * Has the ledger hold the gross amount; gives what is available after it, sen. Refusals: insufficient_balance, unavailable,
 * timeout.
 */
export async function postHold({ ledger }: SagaContext, transfer: StoredTransfer): Promise<bigint> {
  const postingKey = `${transfer.order.transactionId}:hold`;
  const { availableAfterSen } = await ledger.post({ ...postingOf(transfer), intent: Intent.HOLD, postingKey });
  return availableAfterSen;
}

/**
 * Has the ledger capture or release. Both have one posting key, so of two contradicting answers of the rail only the first moves
 * money. Gives what the ledger has booked: the other one where an earlier answer was booked and its write was lost.
 */
export async function postOutcome(
  { ledger }: SagaContext,
  transfer: StoredTransfer,
  wanted: Intent.CAPTURE | Intent.RELEASE,
): Promise<Intent.CAPTURE | Intent.RELEASE> {
  const request = { ...postingOf(transfer), postingKey: `${transfer.order.transactionId}:outcome` };
  try {
    await ledger.post({ ...request, intent: wanted });
    return wanted;
  } catch (error) {
    if (!isRefused(error, ['posting_key_conflict'])) throw error;
  }
  const other = wanted === Intent.CAPTURE ? Intent.RELEASE : Intent.CAPTURE;
  // The key is taken, so this moves nothing: it is answered as before, or refused where yet another posting has the key.
  await ledger.post({ ...request, intent: other });
  return other;
}

/**
 * Books the compensation that the state asks for, if any. Its number is in the posting key: a refusal burns a key, and a transfer
 * can be corrected more than once. A payment that the ledger refuses, for want of balance, stays in the operators' queue.
 */
export async function compensate(context: SagaContext, transfer: StoredTransfer): Promise<StoredTransfer> {
  const due = dueCompensation(transfer.state);
  return due === undefined ? transfer : change(context, transfer, [await postCompensation(context, transfer, due)]);
}

async function postCompensation(
  { ledger }: SagaContext,
  transfer: StoredTransfer,
  { kind, number }: DueCompensation,
): Promise<TransferCommand> {
  const compensation = kind === 'returned' ? Compensation.PAYOUT_RETURNED : Compensation.PAYOUT_MADE;
  const postingKey = `${transfer.order.transactionId}:compensation:${number}`;
  try {
    const posted = await ledger.post({ ...postingOf(transfer), intent: Intent.COMPENSATE, compensation, postingKey });
    return { type: 'compensate', number, balanceAfterSen: posted.availableAfterSen };
  } catch (error) {
    if (kind !== 'paid' || !isRefused(error, ['insufficient_balance', 'account_limit'])) throw error;
    return { type: 'refuse-compensation', number, reason: `The ledger refuses the payment: ${error.refusal.refused}` };
  }
}

/** Whether the error is one of these refusals. */
export function isRefused(error: unknown, codes: readonly RefusalCode[]): error is RefusalError {
  return error instanceof RefusalError && codes.includes(error.refusal.refused);
}

function postingOf({ product, order }: StoredTransfer) {
  return {
    merchantId: order.merchantId,
    partition: order.partition,
    accountId: order.accountId,
    amountSen: order.amountSen,
    feeSen: order.feeSen,
    rail: product.rail,
    product: product.name,
    transactionId: order.transactionId,
    referenceNumber: order.referenceNumber,
    description: order.description,
  };
}
