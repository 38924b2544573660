import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { newUlid } from '@gerbang/core';
import {
  type TransferRequest,
  type TransferResponse,
  TransferResponseSchema,
} from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { createOnce } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { type NewTransfer, orderTransfer } from '../../transfer/place.ts';
import { contentHash, mustFindBank } from '../content.ts';
import { toDetailFields } from '../document.ts';

/**
 * Orders a disbursement, once per account and reference. Refusals: validation (bank_code), product_not_allowed,
 * account_not_found, account_of_other_merchant, frozen, duplicate_reference, account_limit, insufficient_balance,
 * idempotency_key_reused, idempotency_key_running.
 */
export async function transfer(context: Context, request: TransferRequest) {
  const { answer, replayed } = await createOnce<TransferResponse>(context.idempotencyKeys, request, {
    allocate: () => newUlid(context.clock.now()),
    async create(transactionId) {
      const ordered = await orderTransfer(context, context.products.disbursement, toContent(request, transactionId));
      return create(TransferResponseSchema, { transfer: toMessage(ordered) });
    },
    encode: (response) => toBinary(TransferResponseSchema, response),
    decode: (bytes) => fromBinary(TransferResponseSchema, bytes),
  });
  return { ...answer, replayed };
}

function toContent(request: TransferRequest, transactionId: string): NewTransfer {
  const { merchantId, accountId, referenceNumber, amountSen, description } = request;
  const { bankCode, bankAccountNumber, bankAccountName } = request;
  const bank = mustFindBank(bankCode);
  const details = { bankCode, railBankCode: bank.nationalCode, bankName: bank.name, bankAccountNumber, bankAccountName };
  const order = { transactionId, merchantId, accountId, referenceNumber, amountSen, description };
  return { ...order, contentHash: contentHash(details, order), details: toDetailFields(details) };
}
