import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { newUlid } from '@gerbang/core';
import {
  type TriggerTopupRequest,
  type TriggerTopupResponse,
  TriggerTopupResponseSchema,
} from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import { createOnce } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { toMessage } from '../../transfer/message.ts';
import { type NewTransfer, orderTransfer } from '../../transfer/place.ts';
import { contentHash, mustFindChannel, mustReachMinimum } from '../content.ts';
import { toDetailFields } from '../document.ts';
import { normalizePhoneNumber } from '../phone-number.ts';

/**
 * Orders a top-up, once per account and reference. Refusals: validation (channel, phone_number, amount), product_not_allowed,
 * account_not_found, account_of_other_merchant, frozen, duplicate_reference, account_limit, insufficient_balance,
 * idempotency_key_reused, idempotency_key_running.
 */
export async function triggerTopup(context: Context, request: TriggerTopupRequest) {
  const { answer, replayed } = await createOnce<TriggerTopupResponse>(context.idempotencyKeys, request, {
    // merchant-api.md, conventions: the prefix of e-wallet transactions.
    allocate: () => `88${newUlid(context.clock.now())}`,
    async create(transactionId) {
      const ordered = await orderTransfer(context, context.products.ewalletTopup, toContent(request, transactionId));
      return create(TriggerTopupResponseSchema, { transfer: toMessage(ordered) });
    },
    encode: (response) => toBinary(TriggerTopupResponseSchema, response),
    decode: (bytes) => fromBinary(TriggerTopupResponseSchema, bytes),
  });
  return { ...answer, replayed };
}

function toContent(request: TriggerTopupRequest, transactionId: string): NewTransfer {
  const { merchantId, accountId, referenceNumber, amountSen, note: description, phoneNumber } = request;
  const channel = mustFindChannel(request.channel);
  const details = { channel, phoneNumber, railPhoneNumber: normalizePhoneNumber(phoneNumber) };
  mustReachMinimum(channel, amountSen);
  const order = { transactionId, merchantId, accountId, referenceNumber, amountSen, description };
  return { ...order, contentHash: contentHash(details, order), details: toDetailFields(details) };
}
