import { type Clock, isRefusal, jakartaDay, RefusalError } from '@gerbang/core';
import { Intent, type LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import {
  type BankTransferInquiryResult,
  type BankTransferRail,
  type BankTransferRequest,
  type BankTransferResult,
  callWithin,
} from '@gerbang/rails';
import type { RpcClient } from '@gerbang/rpc';
import { type Logger, withinOr } from '@gerbang/runtime';
import type { Metrics } from '../metrics.ts';
import { readRequest } from './rail-request.ts';
import { inquiryDelayMs, RESUME_AFTER_MS, SENT_AFTER_MS, UNRESOLVED_AFTER_MS } from './schedule.ts';
import type { TransferStore } from './store.ts';
import type { StoredTransfer, TransferOrder } from './stored-transfer.ts';
import { decideAll, isFinal, type TransferCommand } from './transfer.ts';

/** What the saga works with. */
export type SagaContext = {
  transfers: TransferStore;
  ledger: RpcClient<typeof LedgerService>;
  rail: BankTransferRail;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** For a call to the rail, or for an inquiry. */
  railTimeoutMs: number;
};

/** Attempts at a write that others may win before it is left to them. */
const CONFLICTS_MAX = 5;

type SendCommand = Extract<TransferCommand, { type: 'send' }>;

/** A transfer whose gross amount the ledger holds, and the command that will write so. */
export type HeldTransfer = { transfer: StoredTransfer; send: SendCommand };

/**
 * Has the ledger hold the gross amount, under one posting key whoever asks and however often. Nothing is written yet.
 * Refusals: insufficient_balance (the transfer is gone and its reference free again), unavailable, timeout (it is taken up again by its timer).
 */
export async function holdFunds(context: SagaContext, created: StoredTransfer): Promise<HeldTransfer> {
  const { order } = created;
  try {
    const held = await context.ledger.post({ ...posting(order), intent: Intent.HOLD, postingKey: `${order.transactionId}:hold` });
    return { transfer: created, send: { type: 'send', balanceAfterSen: held.availableAfterSen } };
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'insufficient_balance')
      await context.transfers.remove(created);
    throw error;
  }
}

/** Shows a held transfer as pending. */
export function writeSent(context: SagaContext, { transfer, send }: HeldTransfer): Promise<StoredTransfer> {
  return change(context, transfer, [send], context.clock.now() + RESUME_AFTER_MS);
}

/**
 * Calls the rail for a held transfer and settles what it answers: acceptance and outcome are one write, unless the rail takes its time. What the rail
 * does is never an error: what is open stays open, and is inquired. `firstSend` only where nobody else can have sent it.
 */
export async function sendToRail(
  context: SagaContext,
  held: HeldTransfer,
  { firstSend }: { firstSend: boolean },
): Promise<StoredTransfer> {
  const { transfer, send } = held;
  if (transfer.state.status !== 'created') return transfer;
  const answering = callRail(context, readRequest(transfer.state.request), firstSend);
  const answer = await withinOr(SENT_AFTER_MS, answering, undefined);
  if (answer !== undefined) return settle(context, transfer, answer, send);
  return settle(context, await writeSent(context, held), await answering, send);
}

function callRail(context: SagaContext, request: BankTransferRequest, firstSend: boolean): Promise<BankTransferResult> {
  return callWithin(context.railTimeoutMs, (signal) => context.rail.transfer(request, { signal, firstSend }));
}

/**
 * Asks the rail how a sent transfer ended. One that the rail does not know is sent again, the very same request, but only on the day it was made:
 * after that the rail can't tell repetitions apart (SNAP's external id is unique for a day), and operators decide.
 */
export async function inquire(context: SagaContext, sent: StoredTransfer): Promise<StoredTransfer> {
  if (sent.state.status !== 'sent') return sent;
  const request = readRequest(sent.state.request);
  const found = await callWithin(context.railTimeoutMs, (signal) => context.rail.inquireTransfer(request, { signal }));
  if (found.outcome !== 'not_found') return settle(context, sent, found);
  if (jakartaDay(request.createdAtMs) === jakartaDay(Date.now()))
    return settle(context, sent, await callRail(context, request, false));
  return wait(context, sent, [], 'the rail does not know it, and it is too late to send it again', true);
}

/**
 * Writes what the rail says, the ledger first. Capture and release share one posting key, so of two contradicting answers only the first moves
 * money; the second is refused by the ledger and raises an alert (architecture §5). `send` where the transfer may not be written as sent yet.
 */
export async function settle(
  context: SagaContext,
  transfer: StoredTransfer,
  verdict: Exclude<BankTransferResult | BankTransferInquiryResult, { outcome: 'not_found' }>,
  send?: SendCommand,
): Promise<StoredTransfer> {
  const { order, state } = transfer;
  const isHeld = state.status === 'sent' || (state.status === 'created' && send !== undefined);
  if (!isHeld) return transfer;
  const before = send === undefined ? [] : [send];
  switch (verdict.outcome) {
    case 'succeeded':
      await postOutcome(context, order, Intent.CAPTURE);
      return finish(context, transfer, [...before, { type: 'succeed', railReference: verdict.railReference }]);
    case 'failed': {
      await postOutcome(context, order, Intent.RELEASE);
      const { code, reason, beneficiaryUnknown } = verdict;
      return finish(context, transfer, [...before, { type: 'fail', code, reason, beneficiaryUnknown }]);
    }
    case 'pending':
      return wait(context, transfer, before, 'pending at the rail', isOverdue(context, order));
    case 'unknown':
      return wait(context, transfer, before, verdict.reason, isOverdue(context, order));
    default:
      return verdict satisfies never;
  }
}

async function postOutcome(context: SagaContext, order: TransferOrder, intent: Intent.CAPTURE | Intent.RELEASE): Promise<void> {
  try {
    await context.ledger.post({ ...posting(order), intent, postingKey: `${order.transactionId}:outcome` });
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'posting_key_conflict') {
      context.metrics.contradicted();
      context.log.error(
        { transaction_id: order.transactionId, merchant_id: order.merchantId },
        'the rail contradicts its earlier answer',
      );
    }
    throw error;
  }
}

async function finish(
  context: SagaContext,
  transfer: StoredTransfer,
  commands: readonly TransferCommand[],
): Promise<StoredTransfer> {
  const finished = await change(context, transfer, commands, undefined);
  const { transactionId, merchantId } = finished.order;
  context.metrics.finished(finished.order, finished.state.status, context.clock.now());
  context.log.info(
    { transaction_id: transactionId, merchant_id: merchantId, status: finished.state.status },
    'transfer finished',
  );
  return finished;
}

async function wait(
  context: SagaContext,
  transfer: StoredTransfer,
  before: readonly TransferCommand[],
  reason: string,
  unresolved: boolean,
): Promise<StoredTransfer> {
  const inquiries = transfer.state.status === 'sent' ? transfer.state.inquiries : 0;
  const nextDueMs = context.clock.now() + inquiryDelayMs(inquiries);
  const waiting = await change(context, transfer, [...before, { type: 'wait', reason, unresolved }], nextDueMs);
  const { transactionId, merchantId } = transfer.order;
  const fields = { transaction_id: transactionId, merchant_id: merchantId, reason };
  if (unresolved) context.log.error(fields, 'the outcome of a transfer stays unknown; operators decide');
  else context.log.warn(fields, 'the outcome of a transfer is not known yet');
  return waiting;
}

/**
 * Decides the commands and writes them as one; when somebody else has written meanwhile, decides anew on what is there now. Gives the transfer as it then stands.
 * `nextDueMs`: when its timer fires next; undefined once it is final.
 */
async function change(
  context: SagaContext,
  transfer: StoredTransfer,
  commands: readonly TransferCommand[],
  nextDueMs: number | undefined,
): Promise<StoredTransfer> {
  let current = transfer;
  for (let attempt = 0; attempt < CONFLICTS_MAX; attempt++) {
    const nowMs = context.clock.now();
    const events = decideAll(current.state, commands, nowMs);
    if (isRefusal(events)) throw new RefusalError(events);
    if (events.length === 0) return current;
    const written = await context.transfers.apply(current, events, nowMs, nextDueMs);
    if (written !== undefined) return written;
    const { accountId, referenceNumber, transactionId } = transfer.order;
    const again = await context.transfers.find(accountId, referenceNumber, { linearizable: true });
    if (again === undefined || again.order.transactionId !== transactionId) {
      throw new Error(`transfer ${transactionId} has vanished while it was worked on`);
    }
    if (isFinal(again.state) || commands.some(({ type }) => type === 'wait')) return again;
    current = again;
  }
  return current;
}

function isOverdue(context: SagaContext, order: TransferOrder): boolean {
  return context.clock.now() - order.createdAtMs >= UNRESOLVED_AFTER_MS;
}

function posting(order: TransferOrder) {
  return {
    merchantId: order.merchantId,
    partition: order.partition,
    accountId: order.accountId,
    amountSen: order.amountSen,
    feeSen: order.feeSen,
    rail: 'bank-transfer',
    product: 'disbursement',
    transactionId: order.transactionId,
    referenceNumber: order.referenceNumber,
    description: order.description,
  };
}
