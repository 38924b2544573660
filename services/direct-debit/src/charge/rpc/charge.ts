import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type ChargeRequest,
  type ChargeResponse,
  ChargeResponseSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { createOnce } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { toTransactionMessage } from '../message.ts';
import { placeCharge } from '../place.ts';
import { chargeId } from '../reference.ts';

/** Charges a bound account. Refusals: those of `placeCharge`, idempotency_key_reused, idempotency_key_running. */
export async function charge(context: Context, request: ChargeRequest) {
  const { merchantId, accountId, bindingId, referenceNumber, amountSen, description } = request;
  const { answer, replayed } = await createOnce<ChargeResponse>(context.idempotencyKeys, request, {
    allocate: () => chargeId(accountId, referenceNumber),
    async create() {
      const placed = await placeCharge(context, { merchantId, accountId, bindingId, referenceNumber, amountSen, description });
      return create(ChargeResponseSchema, { transaction: toTransactionMessage(placed) });
    },
    encode: (response) => toBinary(ChargeResponseSchema, response),
    decode: (bytes) => fromBinary(ChargeResponseSchema, bytes),
  });
  return { ...answer, replayed };
}
