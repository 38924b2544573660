import { EWALLET_CHANNELS } from '@gerbang/core';
import { type EwalletCheckoutJson, ewalletCheckoutSchema, presentEwalletCheckout } from '@gerbang/present';
import type { EwalletCheckout } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { numberAmount, ofAccount, oneOf, optionalReference, orAbsent, text, unixMs, webUrl } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

/** A wallet may take its time. */
const TIMEOUT_MS = 10_000;

const body = z
  .object({
    channel: oneOf(EWALLET_CHANNELS),
    amount: numberAmount,
    customer_phone: orAbsent(text.regex(/^\+?[0-9]{8,15}$/, 'must be a phone number of 8 to 15 digits')).meta({
      description: "The customer's phone number at the e-wallet, 8 to 15 digits; required for OVO.",
    }),
    merchant_reff_no: optionalReference(255).meta({ description: "The merchant's own reference; need not be unique." }),
    success_redirect_url: orAbsent(webUrl).meta({ description: 'Where the customer goes after the payment.' }),
    expired_at: orAbsent(unixMs).meta({
      description: 'When it expires: Unix milliseconds in the future; in 30 minutes unless told.',
    }),
  })
  .refine(({ channel, customer_phone }) => channel !== 'OVO' || customer_phone !== undefined, {
    path: ['customer_phone'],
    message: 'is required for OVO',
  });

/** POST ewallet-checkout/{account_id} (contract §5). Refusals: validation, and those of money-in. */
export const createEwalletCheckout = operation({
  id: 'createEwalletCheckout',
  summary: 'Create an e-wallet checkout',
  description: 'The customer confirms at `checkout_url`, or for OVO in the app.',
  input: z.object({ params: ofAccount, body }),
  data: ewalletCheckoutSchema,
  status: 201,
  creates: true,
  links: {
    showEwalletCheckout: { account_id: '$request.path.account_id', transaction_id: '$response.body#/data/transaction_id' },
  },
  refusals: ['frozen', 'transaction_failed'],
  async handle({ ewalletCheckouts }, { caller, params, body: asked, idempotencyKey }) {
    const { ewalletCheckout, replayed } = await ewalletCheckouts.createEwalletCheckout(
      {
        merchantId: caller.merchantId,
        accountId: params.account_id,
        channel: asked.channel,
        amountSen: asked.amount,
        customerPhone: asked.customer_phone ?? '',
        merchantReffNo: asked.merchant_reff_no,
        successRedirectUrl: asked.success_redirect_url ?? '',
        ...(asked.expired_at !== undefined && { expiredAtMs: asked.expired_at }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    return { data: dataOf(ewalletCheckout), replayed };
  },
});

/** The checkout of an answer. */
export function dataOf(checkout: EwalletCheckout | undefined): EwalletCheckoutJson {
  if (checkout === undefined) throw new Error('money-in answered no e-wallet checkout');
  return presentEwalletCheckout(checkout);
}
