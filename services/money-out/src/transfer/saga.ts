import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { callWithin } from '@gerbang/rails';
import { withinOr } from '@gerbang/runtime';
import { change, type SagaContext } from './change.ts';
import { countOrder } from './count.ts';
import type { StoredTransfer } from './document.ts';
import { compensate, isRefused, postHold, postOutcome } from './posting.ts';
import type { Outcome } from './product.ts';
import { SENT_AFTER_MS, UNRESOLVED_AFTER_MS } from './schedule.ts';
import { isEnded, isHeld, type Receipt } from './state.ts';
import type { TransferCommand } from './transfer.ts';

type SendCommand = Extract<TransferCommand, { type: 'send' }>;

/** A transfer whose gross amount the ledger holds, and the command that will write so. */
export type HeldTransfer = { transfer: StoredTransfer; send: SendCommand };

/**
 * Counts the transfer against its merchant's quota and has the ledger hold the gross amount, always under the same posting key;
 * looks for a possible duplicate meanwhile. Nothing is shown of it yet. Refusals: account_limit, insufficient_balance (the transfer
 * is gone and its reference free again), unavailable, timeout (it is taken up again by its timer).
 */
export async function holdFunds(context: SagaContext, created: StoredTransfer): Promise<HeldTransfer> {
  const transfer = await count(context, created);
  try {
    const [balanceAfterSen, possibleDuplicateOf] = await Promise.all([
      postHold(context, transfer),
      context.transfers.payments.findDuplicate(transfer.document),
    ]);
    return { transfer, send: { type: 'send', balanceAfterSen, possibleDuplicateOf } };
  } catch (error) {
    if (isRefused(error, ['insufficient_balance'])) await context.transfers.remove(transfer);
    throw error;
  }
}

function count({ transfers, metrics }: SagaContext, created: StoredTransfer): Promise<StoredTransfer> {
  const product = created.product.name;
  return countOrder(transfers.spendings, product, created, {
    mark: transfers.markCounted,
    remove: transfers.remove,
    refused: (period) => metrics.limitRefused(product, period),
    find: (accountId, referenceNumber) => transfers.find(accountId, referenceNumber, { linearizable: true }),
  });
}

/** Shows a held transfer as pending. */
export function writeSent(context: SagaContext, { transfer, send }: HeldTransfer): Promise<StoredTransfer> {
  return change(context, transfer, [send]);
}

/**
 * Calls the rail for a held transfer and settles what it answers: acceptance and outcome are one write, unless the rail takes its
 * time. What the rail does is never an error: an open outcome stays open, and is inquired. `firstSend` only where no other
 * process can have sent it.
 */
export async function sendToRail(
  context: SagaContext,
  held: HeldTransfer,
  { firstSend }: { firstSend: boolean },
): Promise<StoredTransfer> {
  const { transfer, send } = held;
  if (transfer.state.status !== 'created') return transfer;
  const answering = callRail(context, transfer, transfer.state.request, firstSend);
  const answer = await withinOr(SENT_AFTER_MS, answering, undefined);
  if (answer !== undefined) return settle(context, transfer, answer, send);
  return settle(context, await writeSent(context, held), await answering, send);
}

/**
 * Asks the rail how a transfer that it may have got ended. One that the rail does not know is sent again, the very same request,
 * while the rail can recognize a repetition; after that operators decide. One that is being canceled is not sent again.
 */
export async function inquire(context: SagaContext, held: StoredTransfer): Promise<StoredTransfer> {
  const { state, product } = held;
  if (!isHeld(state)) return held;
  const { request } = state;
  const found = await callWithin(context.railTimeoutMs, (signal) => product.inquire(request, { signal }));
  if (found.outcome !== 'not_found') return settle(context, held, found);
  if (state.status === 'canceling') return wait(context, held, [], { reason: 'the rail does not know it' });
  if (product.mayResend(request, Date.now())) return settle(context, held, await callRail(context, held, request, false));
  return wait(context, held, [], { reason: 'the rail does not know it, and it is too late to send it again', isLost: true });
}

/** Asks the rail to cancel a transfer; one that the rail will not or cannot cancel is inquired. */
export async function askToCancel(context: SagaContext, canceling: StoredTransfer): Promise<StoredTransfer> {
  const { state, product } = canceling;
  if (state.status !== 'canceling') return canceling;
  const { cancel } = product;
  if (cancel === undefined) throw new Error(`a transfer of ${product.name} cannot be canceled`);
  const answer = await callWithin(context.railTimeoutMs, (signal) => cancel.send(state.request, { signal }));
  if (answer.outcome === 'unknown' || answer.outcome === 'not_found') return inquire(context, canceling);
  return settle(context, canceling, answer);
}

/**
 * Cancels a transfer, with its funds held until the rail has answered (architecture §5). Gives what it has become: canceled,
 * still canceling, or ended otherwise. Refusals: bad_request while it is not accepted yet, unavailable, timeout.
 */
export async function cancelTransfer(
  context: SagaContext,
  transfer: StoredTransfer,
  reason: 'canceled' | 'expired',
): Promise<StoredTransfer> {
  return askToCancel(context, await change(context, transfer, [{ type: 'cancel', reason }]));
}

/**
 * Writes what the rail says, the ledger first. Of two contradicting answers the ledger books only the first one; the second is
 * met by a correction (architecture §5), also where the write of the first was lost. `send` where the transfer may not be written
 * as sent yet.
 */
export async function settle(
  context: SagaContext,
  transfer: StoredTransfer,
  answer: Outcome,
  send?: SendCommand,
): Promise<StoredTransfer> {
  const { state } = transfer;
  if (state.status === 'created' && send === undefined) return transfer;
  const before = send === undefined ? [] : [send];
  switch (answer.outcome) {
    case 'pending':
      return wait(context, transfer, before, { reason: 'pending at the rail', receipt: answer.receipt });
    case 'unknown':
      return wait(context, transfer, before, { reason: answer.reason, isLost: answer.needsOperator === true });
    case 'succeeded':
    case 'failed':
    case 'canceled':
    case 'returned': {
      const ending = isEnded(state) ? [toReport(answer)] : await bookOutcome(context, transfer, answer);
      return compensate(context, await change(context, transfer, [...before, ...ending]));
    }
    default:
      return answer satisfies never;
  }
}

type FinalOutcome = Exclude<Outcome, { outcome: 'pending' | 'unknown' }>;

/**
 * Books a final answer; gives the commands that write what the ledger has booked, and the contradiction where that is not what
 * the rail says now.
 */
async function bookOutcome(context: SagaContext, transfer: StoredTransfer, answer: FinalOutcome): Promise<TransferCommand[]> {
  const wanted = answer.outcome === 'succeeded' ? Intent.CAPTURE : Intent.RELEASE;
  const booked = await postOutcome(context, transfer, wanted);
  return booked === wanted ? [toEnding(answer)] : [toLostEnding(booked), toReport(answer)];
}

function toEnding(answer: FinalOutcome): TransferCommand {
  switch (answer.outcome) {
    case 'succeeded':
      return { type: 'succeed', railReference: answer.railReference, receipt: answer.receipt ?? {} };
    case 'failed': {
      const { code, reason, cause } = answer;
      return { type: 'fail', failure: { code, reason, cause } };
    }
    case 'canceled':
      return { type: 'confirm-cancel', reason: answer.reason };
    case 'returned':
      return { type: 'confirm-return', railReference: answer.railReference, reason: answer.reason };
    default:
      return answer satisfies never;
  }
}

/** What the ledger booked for an earlier answer of the rail, which was lost with its write. */
function toLostEnding(booked: Intent.CAPTURE | Intent.RELEASE): TransferCommand {
  if (booked === Intent.CAPTURE) return { type: 'succeed', railReference: '', receipt: {} };
  return { type: 'fail', failure: { code: '', reason: 'The rail has refused the transfer', cause: 'other' } };
}

function toReport(answer: FinalOutcome): TransferCommand {
  switch (answer.outcome) {
    case 'succeeded':
      return { type: 'report', isPaid: true, railReference: answer.railReference, reason: 'The rail says that it has paid' };
    case 'failed':
    case 'returned': {
      const isReturn = answer.outcome === 'returned';
      return { type: 'report', isPaid: false, isReturn, railReference: '', reason: answer.reason };
    }
    case 'canceled':
      return { type: 'report', isPaid: false, railReference: '', reason: 'The rail says that it was canceled' };
    default:
      return answer satisfies never;
  }
}

/** Leaves the outcome open until the next inquiry. `isLost`: it goes to the operators now. */
function wait(
  context: SagaContext,
  transfer: StoredTransfer,
  before: readonly TransferCommand[],
  { reason, receipt = {}, isLost = false }: { reason: string; receipt?: Receipt | undefined; isLost?: boolean },
): Promise<StoredTransfer> {
  const isOverdue = context.clock.now() - openUntilMs(transfer) >= UNRESOLVED_AFTER_MS;
  return change(context, transfer, [...before, { type: 'wait', reason, unresolved: isLost || isOverdue, receipt }]);
}

/** Until then it is no surprise that the outcome is open: what expires may wait for its beneficiary as long. */
function openUntilMs({ product, order, document }: StoredTransfer): number {
  return Math.max(order.createdAtMs, product.cancel?.expiresAtMs(document) ?? 0);
}

function callRail(context: SagaContext, { product }: StoredTransfer, request: string, firstSend: boolean): Promise<Outcome> {
  return callWithin(context.railTimeoutMs, (signal) => product.send(request, { signal, firstSend }));
}
