import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Bank, feeFor, newUlid, RefusalError, refuse } from '@gerbang/core';
import { feeRulesOf } from '@gerbang/neighbours';
import type { Limit, Profile } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { type TransferRequest, TransferResponseSchema } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { withinOr } from '@gerbang/runtime';
import type { Context } from '../../context.ts';
import { isWithin } from '../../transfer/limits.ts';
import { toMessage } from '../../transfer/message.ts';
import { toRequest, writeRequest } from '../../transfer/rail-request.ts';
import { DISBURSEMENT } from '../../transfer/reference.ts';
import { type HeldTransfer, holdFunds, sendToRail, writeSent } from '../../transfer/saga.ts';
import { RESUME_AFTER_MS } from '../../transfer/schedule.ts';
import type { StoredTransfer, TransferOrder } from '../../transfer/stored-transfer.ts';
import { evolve } from '../../transfer/transfer.ts';
import { contentHash, mustFindBank } from '../content.ts';

/** A create answers when the rail has, or after this long as it then stands (contract §6). */
const ANSWER_AFTER_MS = 3_000;

/**
 * Orders a disbursement, once per account and reference. Refusals: validation (bank_code), product_not_allowed, account_not_found,
 * account_of_other_merchant, frozen, duplicate_reference, account_limit, insufficient_balance, idempotency_key_reused, idempotency_key_running.
 */
export async function transfer(context: Context, request: TransferRequest) {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined)
    return { transfer: await order(context, request, newUlid(context.clock.now())), replayed: false };
  const { key, route, bodyHash } = idempotencyKey;
  const { response, replayed } = await context.idempotencyKeys.run(
    { merchantId: request.merchantId, route, key, bodyHash },
    () => newUlid(context.clock.now()),
    async (transactionId) => {
      const ordered = await order(context, request, transactionId);
      return toBinary(TransferResponseSchema, create(TransferResponseSchema, { transfer: ordered }));
    },
  );
  const { transfer: answered } = fromBinary(TransferResponseSchema, response);
  return answered === undefined ? { replayed } : { transfer: answered, replayed };
}

async function order(context: Context, request: TransferRequest, transactionId: string) {
  const startedMs = performance.now();
  const bank = mustFindBank(request.bankCode);
  const { profile } = await context.merchants.admit(request.merchantId, DISBURSEMENT, request.accountId);
  const placed = await place(context, toOrder(request, bank, profile, transactionId, context.clock.now()), profile.limits);
  // After that long a timer may have sent it as well.
  const firstSend = performance.now() - startedMs < RESUME_AFTER_MS;
  const { order: ordered, state } = 'send' in placed ? await answerInTime(context, placed, firstSend) : placed;
  return toMessage(ordered, state);
}

/**
 * A new transfer with its funds held, or the one that its reference names already, as it stands. The write comes first, since most references are new;
 * a limit holds for new orders alone.
 */
async function place(context: Context, wanted: TransferOrder, limits: readonly Limit[]): Promise<HeldTransfer | StoredTransfer> {
  const withinLimits = isWithin(limits, DISBURSEMENT, wanted.amountSen);
  for (;;) {
    const request = writeRequest(toRequest(wanted, Date.now()));
    const created = withinLimits ? await context.transfers.insert(wanted, request) : undefined;
    if (created !== undefined) {
      const held = await holdFunds(context, created);
      context.metrics.accepted();
      return held;
    }
    const known = await context.transfers.find(wanted.accountId, wanted.referenceNumber, { linearizable: true });
    if (known !== undefined) return repeat(context, known, wanted);
    if (await context.transfers.references.isOfAnother(wanted, DISBURSEMENT))
      throw new RefusalError(refuse('duplicate_reference'));
    if (!withinLimits) throw new RefusalError(refuse('account_limit'));
    // The one that had taken the reference was refused meanwhile and is gone: try again.
  }
}

/** An order under a reference that is taken: the same content is the existing transfer, other content is refused (contract §2). */
async function repeat(context: Context, known: StoredTransfer, wanted: TransferOrder): Promise<StoredTransfer> {
  if (known.order.contentHash !== wanted.contentHash) throw new RefusalError(refuse('duplicate_reference'));
  // Whether it will be accepted is not known yet: help, by the same posting key, so that this answer and the first one agree.
  return known.state.status === 'created' ? writeSent(context, await holdFunds(context, known)) : known;
}

/** Calls the rail for a new transfer and gives what it has become within the time for an answer; the call itself goes on. */
async function answerInTime(context: Context, held: HeldTransfer, firstSend: boolean): Promise<StoredTransfer> {
  const { order: ordered, state, document } = held.transfer;
  const { transactionId } = ordered;
  const { balanceAfterSen } = held.send;
  const pending = { order: ordered, state: evolve(state, { type: 'sent', balanceAfterSen }), document };
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

function toOrder(request: TransferRequest, bank: Bank, profile: Profile, transactionId: string, nowMs: number): TransferOrder {
  const { bankAccountNumber, bankAccountName, amountSen, description } = request;
  return {
    transactionId,
    merchantId: request.merchantId,
    partition: profile.partition,
    accountId: request.accountId,
    referenceNumber: request.referenceNumber,
    contentHash: contentHash({ bankCode: bank.nationalCode, bankAccountNumber, bankAccountName, amountSen, description }),
    amountSen,
    feeSen: feeFor(feeRulesOf(profile), { product: DISBURSEMENT, channel: bank.nationalCode, amountSen, nowMs }).feeSen,
    bankCode: request.bankCode,
    railBankCode: bank.nationalCode,
    bankName: bank.name,
    bankAccountNumber,
    bankAccountName,
    description,
    createdAtMs: nowMs,
  };
}
