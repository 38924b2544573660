import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { newUlid, RefusalError, refuseField } from '@gerbang/core';
import {
  type CreateCardlessWithdrawalRequest,
  type CreateCardlessWithdrawalResponse,
  CreateCardlessWithdrawalResponseSchema,
} from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { createOnce } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { type NewTransfer, orderTransfer } from '../../transfer/place.ts';
import type { CardlessWithdrawal } from '../cardless-withdrawal.ts';
import { contentHash, expiryOf, mustBeBank, mustBeDrawable } from '../content.ts';
import { toDetailFields } from '../document.ts';

/**
 * Orders a code to draw cash with, once per account and reference. Refusals: validation (bank_code, amount, expired_at),
 * product_not_allowed, account_not_found, account_of_other_merchant, frozen, duplicate_reference, account_limit,
 * insufficient_balance, idempotency_key_reused, idempotency_key_running.
 */
export async function createCardlessWithdrawal(context: Context, request: CreateCardlessWithdrawalRequest) {
  const product = context.products.cardlessWithdrawal;
  const { answer, replayed } = await createOnce<CreateCardlessWithdrawalResponse>(context.idempotencyKeys, request, {
    allocate: () => newUlid(context.clock.now()),
    async create(transactionId) {
      const ordered = await orderTransfer(context, product, await toContent(context, request, transactionId));
      const withdrawalCode = await product.codeOf(ordered.state);
      return create(CreateCardlessWithdrawalResponseSchema, { transfer: toMessage(ordered), withdrawalCode });
    },
    encode: async (response) => toBinary(CreateCardlessWithdrawalResponseSchema, await withCode(response, product.sealCode)),
    decode: (bytes) => withCode(fromBinary(CreateCardlessWithdrawalResponseSchema, bytes), product.openCode),
  });
  return { ...answer, replayed };
}

/** The answer with its code, if it has one, sealed or opened. */
async function withCode(
  answer: CreateCardlessWithdrawalResponse,
  convert: CardlessWithdrawal['sealCode' | 'openCode'],
): Promise<CreateCardlessWithdrawalResponse> {
  const { transfer, withdrawalCode } = answer;
  if (withdrawalCode === '' || transfer === undefined) return answer;
  return { ...answer, withdrawalCode: await convert(transfer.transactionId, withdrawalCode) };
}

async function toContent(
  context: Context,
  request: CreateCardlessWithdrawalRequest,
  transactionId: string,
): Promise<NewTransfer> {
  const { merchantId, accountId, referenceNumber, amountSen, phoneNumber, expiredAtMs } = request;
  const bankCode = mustBeBank(request.bankCode);
  mustBeDrawable(amountSen);
  const hash = contentHash({ bankCode, phoneNumber, amountSen, expiredAtMs });
  const nowMs = context.clock.now();
  const expiresAtMs = expiryOf(expiredAtMs, nowMs);
  if (expiresAtMs <= nowMs && !(await isRepetition(context, request, hash)))
    throw new RefusalError(refuseField('expired_at', 'must be in the future'));
  const details = toDetailFields({ bankCode, phoneNumber, expiresAtMs });
  return { transactionId, merchantId, accountId, referenceNumber, amountSen, description: '', contentHash: hash, details };
}

/** Whether this was ordered before, when its expiry was in the future: then it is answered as it now stands. */
async function isRepetition({ transfers }: Context, request: CreateCardlessWithdrawalRequest, hash: string): Promise<boolean> {
  const known = await transfers.find(request.accountId, request.referenceNumber, { linearizable: true });
  return known?.order.merchantId === request.merchantId && known.order.contentHash === hash;
}
