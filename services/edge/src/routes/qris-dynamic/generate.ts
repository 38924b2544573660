import { parseAmountNumber } from '@gerbang/core';
import { presentQrisTransaction, type QrisTransactionJson, qrisTransactionSchema } from '@gerbang/present';
import { type QrisTransaction, TipIndicator } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { numberAmount, ofAccount, optionalReference, orAbsent, unixMs } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';

/** An acquirer may take its time, and is asked twice. */
const TIMEOUT_MS = 15_000;
const INDICATORS = { fixed: TipIndicator.FIXED, percentage: TipIndicator.PERCENTAGE, input: TipIndicator.INPUT } as const;
const PERCENTAGE_MAX = 10_000n;

const tip = z
  .object(
    {
      indicator: z.enum(['fixed', 'percentage', 'input'], 'indicator must be fixed, percentage or input').meta({
        description: 'fixed: `value` rupiah; percentage: `value` percent of the amount; input: the customer enters it.',
      }),
      value: z.number('value must be a number').nullish().meta({
        description: 'Required for fixed (rupiah) and percentage (0.01 to 99.99), with at most two decimals; not read for input.',
      }),
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
  merchant_reff_no: optionalReference(255).meta({ description: "The merchant's own reference; need not be unique." }),
  expired_at: orAbsent(unixMs).meta({
    description: 'When it expires: Unix milliseconds in the future; in 30 minutes unless told.',
  }),
  tip: orAbsent(tip).meta({ description: 'The tip that the code asks for; none unless told.' }),
});

/** POST qris-dynamic/{account_id}/generate (contract §5). Refusals: validation, and those of money-in. */
export const generateQris = operation({
  id: 'generateQris',
  summary: 'Generate a QRIS code',
  description: '`qr_data` is the code to show; it can be paid once, until `expired_at` (30 minutes by default).',
  input: z.object({ params: ofAccount, body }),
  data: qrisTransactionSchema,
  status: 201,
  creates: true,
  links: {
    inquireQrisStatus: { account_id: '$request.path.account_id', id: '$response.body#/data/id' },
    showQris: { account_id: '$request.path.account_id', id: '$response.body#/data/id' },
  },
  refusals: ['frozen', 'transaction_failed'],
  async handle({ qris }, { caller, params, body: asked, idempotencyKey }) {
    const { qrisTransaction, replayed } = await qris.generateQris(
      {
        merchantId: caller.merchantId,
        accountId: params.account_id,
        amountSen: asked.amount,
        merchantReffNo: asked.merchant_reff_no,
        ...(asked.expired_at !== undefined && { expiredAtMs: asked.expired_at }),
        ...asked.tip,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    return { data: dataOf(qrisTransaction), replayed };
  },
});

/** The QRIS transaction of an answer. */
export function dataOf(transaction: QrisTransaction | undefined): QrisTransactionJson {
  if (transaction === undefined) throw new Error('money-in answered no QRIS transaction');
  return presentQrisTransaction(transaction);
}
