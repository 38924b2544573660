import { parseAmountNumber } from '@gerbang/core';
import { presentQrisTransaction } from '@gerbang/present';
import { type QrisTransaction, TipIndicator } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { numberAmount, optionalText, orAbsent, unixMs } from '../../http/fields.ts';
import { idempotencyKeyOf } from '../../http/idempotency.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';

/** An acquirer may take its time, and is asked twice. */
const TIMEOUT_MS = 15_000;
const INDICATORS = { fixed: TipIndicator.FIXED, percentage: TipIndicator.PERCENTAGE, input: TipIndicator.INPUT } as const;
const PERCENTAGE_MAX = 10_000n;

const tip = z
  .object(
    {
      indicator: z.enum(['fixed', 'percentage', 'input'], 'indicator must be fixed, percentage or input'),
      value: z.number('value must be a number').nullish(),
    },
    'must be an object of indicator and value',
  )
  .transform(({ indicator, value }, problem) => {
    if (indicator === 'input') return { tipIndicator: INDICATORS.input, tipValue: 0n };
    // Rupiah as sen; percent as hundredths of a percent.
    const hundredths = parseAmountNumber(value ?? 0);
    if (hundredths !== undefined && (indicator === 'fixed' || hundredths < PERCENTAGE_MAX))
      return { tipIndicator: INDICATORS[indicator], tipValue: hundredths };
    problem.addIssue(indicator === 'fixed' ? 'value must be an amount' : 'value must be a percentage from 0.01 to 99.99');
    return z.NEVER;
  });

const body = z.object({
  amount: numberAmount,
  merchant_reff_no: optionalText(255),
  expired_at: orAbsent(unixMs),
  tip: orAbsent(tip),
});

/** POST qris-dynamic/{account_id}/generate (contract §5). Refusals: validation, and those of money-in. */
export const generateQris: Handler = async ({ qris }, call) => {
  const idempotencyKey = idempotencyKeyOf(call);
  const asked = validate(body, call.body);
  const { qrisTransaction, replayed } = await qris.generateQris(
    {
      merchantId: call.caller.merchantId,
      accountId: call.params.account_id ?? '',
      amountSen: asked.amount,
      merchantReffNo: asked.merchant_reff_no,
      ...(asked.expired_at !== undefined && { expiredAtMs: asked.expired_at }),
      ...asked.tip,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    },
    { timeoutMs: TIMEOUT_MS },
  );
  return { data: dataOf(qrisTransaction), status: 201, replayed };
};

/** The QRIS transaction of an answer. */
export function dataOf(transaction: QrisTransaction | undefined): object {
  if (transaction === undefined) throw new Error('money-in answered no QRIS transaction');
  return presentQrisTransaction(transaction);
}
