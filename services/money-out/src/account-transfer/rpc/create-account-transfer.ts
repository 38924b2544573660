import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { newUlid, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { Limit, Profile } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import {
  type CreateAccountTransferRequest,
  type CreateAccountTransferResponse,
  CreateAccountTransferResponseSchema,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { createOnce } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { isWithin } from '../../transfer/limits.ts';
import { quotaOf } from '../../transfer/quota.ts';
import { ACCOUNT_TRANSFER, type AccountTransferOrder } from '../account-transfer.ts';
import { complete } from '../complete.ts';
import { contentHash } from '../content.ts';
import type { StoredAccountTransfer } from '../document.ts';
import { toMessage } from '../message.ts';

/**
 * Moves money between two accounts of the merchant, once per source and reference (contract §6). Refusals: validation
 * (destination_account_id), product_not_allowed, account_not_found, account_of_other_merchant, frozen (of either account, the
 * source's first), duplicate_reference, account_limit, insufficient_balance, idempotency_key_reused, idempotency_key_running.
 */
export async function createAccountTransfer(context: Context, request: CreateAccountTransferRequest) {
  const { answer, replayed } = await createOnce<CreateAccountTransferResponse>(context.idempotencyKeys, request, {
    allocate: () => newUlid(context.clock.now()),
    create: async (transactionId) =>
      create(CreateAccountTransferResponseSchema, { accountTransfer: toMessage(await order(context, request, transactionId)) }),
    encode: (response) => toBinary(CreateAccountTransferResponseSchema, response),
    decode: (bytes) => fromBinary(CreateAccountTransferResponseSchema, bytes),
  });
  return { ...answer, replayed };
}

async function order(
  context: Context,
  request: CreateAccountTransferRequest,
  transactionId: string,
): Promise<StoredAccountTransfer> {
  const { merchantId, sourceAccountId, destinationAccountId } = request;
  if (sourceAccountId === destinationAccountId) {
    throw new RefusalError(refuseField('destination_account_id', 'must be another account than source_account_id'));
  }
  const { profile } = await context.merchants.admit(merchantId, ACCOUNT_TRANSFER, sourceAccountId);
  await context.merchants.admit(merchantId, ACCOUNT_TRANSFER, destinationAccountId);
  return place(context, toOrder(request, profile, transactionId, context.clock.now()), profile.limits);
}

/**
 * The transfer once the ledger has moved the money: a new one, or the one that its reference names already. A limit holds for new
 * ones only.
 */
async function place(context: Context, wanted: AccountTransferOrder, limits: readonly Limit[]): Promise<StoredAccountTransfer> {
  const { accountTransfers } = context;
  const withinLimits = isWithin(limits, ACCOUNT_TRANSFER, wanted.amountSen);
  for (;;) {
    const created = withinLimits ? await accountTransfers.insert(wanted) : undefined;
    if (created !== undefined) return complete(context, created);
    const known = await accountTransfers.find(wanted.accountId, wanted.referenceNumber);
    if (known !== undefined) {
      if (known.order.contentHash !== wanted.contentHash) throw new RefusalError(refuse('duplicate_reference'));
      // Not done yet: help, by the same posting key, so that this answer and the first one agree.
      return complete(context, known);
    }
    if (await accountTransfers.references.isOfAnother(wanted, ACCOUNT_TRANSFER)) {
      throw new RefusalError(refuse('duplicate_reference'));
    }
    if (!withinLimits) {
      context.metrics.limitRefused(ACCOUNT_TRANSFER, 'transaction');
      throw new RefusalError(refuse('account_limit'));
    }
    // The one that had taken the reference was refused meanwhile and is gone: try again.
  }
}

function toOrder(
  request: CreateAccountTransferRequest,
  profile: Profile,
  transactionId: string,
  nowMs: number,
): AccountTransferOrder {
  const { merchantId, sourceAccountId, destinationAccountId, amountSen, referenceNumber, note } = request;
  return {
    transactionId,
    merchantId,
    partition: profile.partition,
    accountId: sourceAccountId,
    destinationAccountId,
    referenceNumber,
    contentHash: contentHash({ destinationAccountId, amountSen, note }),
    amountSen,
    quota: quotaOf(profile.limits, ACCOUNT_TRANSFER),
    note,
    createdAtMs: nowMs,
  };
}
