import type { IncomingMessage } from 'node:http';
import { RETAIL_CODES } from '@gerbang/core';
import { presentRetailTransaction, type RetailTransactionJson, retailTransactionSchema } from '@gerbang/present';
import type { RetailTransaction } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { admitBearer } from '../../http/auth.ts';
import type { Caller } from '../../http/call.ts';
import { numberAmount, ofAccount, oneOf, optionalReference, prose, unixMs } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

const body = z.object({
  retail_code: oneOf(RETAIL_CODES),
  amount: numberAmount,
  customer_name: prose(100).meta({ description: 'Who is to pay.' }),
  expired_at: unixMs.meta({ description: 'When the code can no longer be paid: Unix milliseconds in the future.' }),
  merchant_reff_no: optionalReference(255).meta({ description: "The merchant's own reference; need not be unique." }),
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
export const createRetailTransaction = operation({
  id: 'createRetailTransaction',
  summary: 'Create a payment code',
  description:
    'The customer shows `payment_code` at the cash desk and pays exactly the amount, once. ' +
    '422 also for a merchant without access to the product. At most 60 a minute and merchant, unless configured otherwise.',
  input: z.object({ params: ofAccount, body }),
  data: retailTransactionSchema,
  status: 201,
  creates: true,
  links: {
    showRetailTransaction: { account_id: '$request.path.account_id', transaction_id: '$response.body#/data/transaction_id' },
  },
  refusals: ['frozen'],
  async handle({ retail }, { caller, params, body: asked, idempotencyKey }) {
    const { retailTransaction, replayed } = await retail.createRetailTransaction({
      merchantId: caller.merchantId,
      accountId: params.account_id,
      retailCode: asked.retail_code,
      amountSen: asked.amount,
      customerName: asked.customer_name,
      merchantReffNo: asked.merchant_reff_no,
      expiredAtMs: asked.expired_at,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    return { data: dataOf(retailTransaction), replayed };
  },
});

/** The retail transaction of an answer. */
export function dataOf(transaction: RetailTransaction | undefined): RetailTransactionJson {
  if (transaction === undefined) throw new Error('money-in answered no retail transaction');
  return presentRetailTransaction(transaction);
}
