import { EWALLET_CHANNELS } from '@gerbang/core';
import { presentEwalletCheckout } from '@gerbang/present';
import type { EwalletCheckout } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { numberAmount, optionalText, orAbsent, text, unixMs, webUrl } from '../../http/fields.ts';
import { idempotencyKeyOf } from '../../http/idempotency.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';

/** A wallet may take its time. */
const TIMEOUT_MS = 10_000;

const body = z
  .object({
    channel: z.enum(EWALLET_CHANNELS, {
      error: (issue) => (issue.input === undefined ? 'is required' : `must be one of ${EWALLET_CHANNELS.join(', ')}`),
    }),
    amount: numberAmount,
    customer_phone: orAbsent(text.regex(/^\+?[0-9]{8,15}$/, 'must be a phone number of 8 to 15 digits')),
    merchant_reff_no: optionalText(255),
    success_redirect_url: orAbsent(webUrl),
    expired_at: orAbsent(unixMs),
  })
  .refine(({ channel, customer_phone }) => channel !== 'OVO' || customer_phone !== undefined, {
    path: ['customer_phone'],
    message: 'is required for OVO',
  });

/** POST ewallet-checkout/{account_id} (contract §5). Refusals: validation, and those of money-in. */
export const createEwalletCheckout: Handler = async ({ ewalletCheckouts }, call) => {
  const idempotencyKey = idempotencyKeyOf(call);
  const asked = validate(body, call.body);
  const { ewalletCheckout, replayed } = await ewalletCheckouts.createEwalletCheckout(
    {
      merchantId: call.caller.merchantId,
      accountId: call.params.account_id ?? '',
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
  return { data: dataOf(ewalletCheckout), status: 201, replayed };
};

/** The checkout of an answer. */
export function dataOf(checkout: EwalletCheckout | undefined): object {
  if (checkout === undefined) throw new Error('money-in answered no e-wallet checkout');
  return presentEwalletCheckout(checkout);
}
