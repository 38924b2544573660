import type { IncomingMessage } from 'node:http';
import { RETAIL_CODES } from '@gerbang/core';
import { presentRetailTransaction } from '@gerbang/present';
import type { RetailTransaction } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { admitBearer } from '../../http/auth.ts';
import { numberAmount, optionalText, textUpTo, unixMs } from '../../http/fields.ts';
import { idempotencyKeyOf } from '../../http/idempotency.ts';
import type { Caller, Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';

const body = z.object({
  retail_code: z.enum(RETAIL_CODES, {
    error: (issue) => (issue.input === undefined ? 'is required' : `must be one of ${RETAIL_CODES.join(', ')}`),
  }),
  amount: numberAmount,
  customer_name: textUpTo(100),
  expired_at: unixMs,
  merchant_reff_no: optionalText(255),
});

/**
 * A merchant creates fewer codes a minute than it may ask other things (contract §2). Refusals: those of `admitBearer`,
 * rate_limited.
 */
export async function admitRetailCreate(context: Context, request: IncomingMessage): Promise<Caller> {
  const caller = await admitBearer(context, request);
  context.retailLimit.count(caller.merchantId);
  return caller;
}

/** POST retail-transactions/{account_id} (merchant-api.md, retail outlet). Refusals: validation, and those of money-in. */
export const createRetailTransaction: Handler = async ({ retail }, call) => {
  const idempotencyKey = idempotencyKeyOf(call);
  const asked = validate(body, call.body);
  const { retailTransaction, replayed } = await retail.createRetailTransaction({
    merchantId: call.caller.merchantId,
    accountId: call.params.account_id ?? '',
    retailCode: asked.retail_code,
    amountSen: asked.amount,
    customerName: asked.customer_name,
    merchantReffNo: asked.merchant_reff_no,
    expiredAtMs: asked.expired_at,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  return { data: dataOf(retailTransaction), status: 201, replayed };
};

/** The retail transaction of an answer. */
export function dataOf(transaction: RetailTransaction | undefined): object {
  if (transaction === undefined) throw new Error('money-in answered no retail transaction');
  return presentRetailTransaction(transaction);
}
