import { z } from 'zod';
import { optionalText, text } from '../../http/fields.ts';
import { idempotencyKeyOf } from '../../http/idempotency.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { dataOf } from './show.ts';

const body = z.object({ name: text, merchant_reff_no: optionalText(255) });

/**
 * POST accounts (contract §4). What a name may be is the merchant service's to say. Refusals: validation, frozen, those of the
 * Idempotency-Key.
 */
export const openAccount: Handler = async ({ accounts }, call) => {
  const idempotencyKey = idempotencyKeyOf(call);
  const { name, merchant_reff_no } = validate(body, call.body);
  const { account, replayed } = await accounts.openAccount({
    merchantId: call.caller.merchantId,
    name,
    merchantReffNo: merchant_reff_no,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  return { data: dataOf(account), status: 201, replayed };
};
