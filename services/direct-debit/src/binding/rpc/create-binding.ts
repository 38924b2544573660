import { randomUUID } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { findBankByShortName, isVaBankCode, RefusalError, refuseField } from '@gerbang/core';
import {
  type CreateBindingRequest,
  type CreateBindingResponse,
  CreateBindingResponseSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { createOnce } from '@gerbang/store';
import { newPageToken, pageUrl } from '../../bind-page/page-token.ts';
import { type Context, DIRECT_DEBIT } from '../../context.ts';
import type { StoredBinding } from '../document.ts';
import { toBindingMessage } from '../message.ts';
import { findOwnBinding } from '../own.ts';

const PHONE_END = 4;

/**
 * Begins a binding. Refusals: validation (bank_code), product_not_allowed, account_not_found, account_of_other_merchant, frozen,
 * idempotency_key_reused, idempotency_key_running.
 */
export async function createBinding(context: Context, request: CreateBindingRequest) {
  const { answer, replayed } = await createOnce<CreateBindingResponse>(context.idempotencyKeys, request, {
    allocate: () => randomUUID(),
    async create(id) {
      const binding = await begin(context, request, id);
      return create(CreateBindingResponseSchema, { binding: toBindingMessage(binding) });
    },
    encode: (response) => toBinary(CreateBindingResponseSchema, response),
    decode: (bytes) => fromBinary(CreateBindingResponseSchema, bytes),
  });
  // The address opens the customer's page, so it is not kept with the key.
  const { order } = await findOwnBinding(context, request.merchantId, answer.binding?.bindingId ?? '');
  return { ...answer, webviewUrl: await pageUrl(context, order), replayed };
}

async function begin(context: Context, request: CreateBindingRequest, id: string): Promise<StoredBinding> {
  const { merchantId, accountId, bankCode, customerId, customerName, customerPhone, redirectUrl } = request;
  await context.merchants.admit(merchantId, DIRECT_DEBIT, accountId);
  if (!isVaBankCode(bankCode) || findBankByShortName(bankCode) === undefined)
    throw new RefusalError(refuseField('bank_code', 'is not the short name of a bank with direct debit'));
  const nowMs = context.clock.now();
  return context.bindings.create({
    id,
    merchantId,
    accountId,
    bankCode,
    customerId,
    customerName,
    phone: await context.sealing.seal('customer-phone', id, customerPhone),
    phoneEnd: customerPhone.slice(-PHONE_END),
    redirectUrl,
    ...(await newPageToken(context.sealing, id)),
    createdAtMs: nowMs,
    expiresAtMs: nowMs + context.bindingMs,
  });
}
