import { feeFor, RefusalError, refuse } from '@gerbang/core';
import { feeRulesOf, type MerchantDirectory } from '@gerbang/neighbours';
import type { Limit } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { type BackgroundWork, withinOr } from '@gerbang/runtime';
import type { SagaContext } from './change.ts';
import type { DetailFields, StoredTransfer } from './document.ts';
import { evolve } from './event.ts';
import { isWithin } from './limits.ts';
import type { InProgress } from './on-due.ts';
import type { Product, TransferOrder } from './product.ts';
import { quotaOf } from './quota.ts';
import { partnerReferenceOf } from './rail-reference.ts';
import { type HeldTransfer, holdFunds, sendToRail, writeSent } from './saga.ts';
import { RESUME_AFTER_MS } from './schedule.ts';

/** An order is answered when the rail has answered, or after this long with the state it then has (contract §6). */
export const ANSWER_AFTER_MS = 3_000;

export type PlacingContext = SagaContext & {
  merchants: MerchantDirectory;
  inProgress: InProgress;
  /** Calls to the rail that have outlived their request; draining waits for them. */
  background: BackgroundWork;
};

/** What a product's order comes to; `details` are its own fields as they will be stored. */
export type NewTransfer = Omit<TransferOrder, 'partition' | 'partnerReference' | 'feeSen' | 'quota' | 'createdAtMs'> & {
  details: DetailFields;
};

/**
 * Orders a transfer, once per account and reference, and gives it as it stands when the rail has answered, or after 3 s.
 * Refusals: product_not_allowed, account_not_found, account_of_other_merchant, frozen, duplicate_reference, account_limit,
 * insufficient_balance, unavailable, timeout.
 */
export async function orderTransfer(
  context: PlacingContext,
  product: Product,
  { details, ...wanted }: NewTransfer,
): Promise<StoredTransfer> {
  const startedMs = performance.now();
  const { profile } = await context.merchants.admit(wanted.merchantId, product.name, wanted.accountId);
  const nowMs = context.clock.now();
  const { amountSen } = wanted;
  const charge = { product: product.name, channel: product.channelOf(details), amountSen, nowMs };
  const { feeSen } = feeFor(feeRulesOf(profile), charge);
  const partnerReference = partnerReferenceOf(wanted.accountId, wanted.referenceNumber);
  const quota = quotaOf(profile.limits, product.name);
  const order = { ...wanted, partition: profile.partition, partnerReference, feeSen, quota, createdAtMs: nowMs };
  const placed = await place(context, product, order, details, profile.limits);
  // After that long a timer may have sent it as well.
  const firstSend = performance.now() - startedMs < RESUME_AFTER_MS;
  return 'send' in placed ? answerInTime(context, placed, firstSend) : placed;
}

/**
 * A new transfer with its funds held, or the one that its reference names already, as it stands. The write comes first, since
 * most references are new; a limit holds for new orders only.
 */
async function place(
  context: PlacingContext,
  product: Product,
  wanted: TransferOrder,
  details: DetailFields,
  limits: readonly Limit[],
): Promise<HeldTransfer | StoredTransfer> {
  const withinLimits = isWithin(limits, product.name, wanted.amountSen);
  for (;;) {
    const request = product.requestOf(wanted, details, Date.now());
    const created = withinLimits ? await context.transfers.insert(product, wanted, details, request) : undefined;
    if (created !== undefined) return holdFunds(context, created);
    const { accountId, referenceNumber } = wanted;
    const known = await context.transfers.find(accountId, referenceNumber, { linearizable: true });
    if (known !== undefined) return repeat(context, known, wanted);
    if (await context.transfers.references.isOfAnother(wanted, product.name))
      throw new RefusalError(refuse('duplicate_reference'));
    if (!withinLimits) {
      context.metrics.limitRefused(product.name, 'transaction');
      throw new RefusalError(refuse('account_limit'));
    }
    // The one that had taken the reference was refused meanwhile and is gone: try again.
  }
}

/**
 * An order under a reference that is taken: the same content is the existing transfer, other content is refused (contract §2).
 */
async function repeat(context: PlacingContext, known: StoredTransfer, wanted: TransferOrder): Promise<StoredTransfer> {
  if (known.order.contentHash !== wanted.contentHash) throw new RefusalError(refuse('duplicate_reference'));
  // The ledger may still refuse the hold: help, by the same posting key, so that this answer and the first one agree.
  return known.state.status === 'created' ? writeSent(context, await holdFunds(context, known)) : known;
}

/** Calls the rail for a new transfer and gives what it has become within the time for an answer; the call itself goes on. */
async function answerInTime(context: PlacingContext, held: HeldTransfer, firstSend: boolean): Promise<StoredTransfer> {
  const { transfer, send } = held;
  const { transactionId } = transfer.order;
  const pending = { ...transfer, state: evolve(transfer.state, { ...send, type: 'sent' }) };
  context.inProgress.add(transactionId);
  const running = sendToRail(context, held, { firstSend })
    .catch((error: unknown) => {
      context.log.warn({ err: error, transaction_id: transactionId }, 'a transfer was left to its timer');
      return pending;
    })
    .finally(() => context.inProgress.delete(transactionId));
  context.background.add(running);
  return withinOr(ANSWER_AFTER_MS, running, pending);
}
