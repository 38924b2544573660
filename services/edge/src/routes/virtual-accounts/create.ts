import { VA_BANK_CODES } from '@gerbang/core';
import { presentVirtualAccount, type VirtualAccountJson, virtualAccountSchema } from '@gerbang/present';
import { AmountType, type VirtualAccount, VirtualAccountKind } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { numberAmount, ofAccount, oneOf, orAbsent, prose, reference, unixMs } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { maxUsage } from '../money-in-fields.ts';

/**
 * merchant-api.md, virtual account. The bounds of amounts are the merchant's own, and the future is business time's: money in
 * says.
 */
const body = z
  .object({
    bank_code: oneOf(VA_BANK_CODES),
    kind: oneOf(['temporary', 'permanent']).meta({
      description: 'A temporary one has an end and a bound of payments, and needs both.',
    }),
    amount_type: oneOf(['open', 'closed'])
      .meta({ description: 'closed: takes exactly `amount`; open: any amount from `min_amount` to `max_amount`.' })
      .default('closed'),
    name: prose(200).meta({ description: 'The name that customers see at their bank.' }),
    merchant_reff_no: reference(255).meta({ description: "The merchant's own reference; need not be unique." }),
    expired_at: orAbsent(unixMs).meta({
      description: 'When it expires: Unix milliseconds in the future. Required for a temporary one.',
    }),
    max_usage: orAbsent(maxUsage).meta({ description: 'How often it may be paid. Required for a temporary one.' }),
    amount: orAbsent(numberAmount).meta({ description: 'What a closed one takes, and required for it.' }),
    min_amount: orAbsent(numberAmount).meta({ description: 'The least that an open one takes, and required for it.' }),
    max_amount: orAbsent(numberAmount).meta({
      description: 'The most that an open one takes, and required for it; at least `min_amount`.',
    }),
  })
  .superRefine((asked, problem) => {
    const needed: (keyof typeof asked)[] = asked.amount_type === 'open' ? ['min_amount', 'max_amount'] : ['amount'];
    if (asked.kind === 'temporary') needed.push('expired_at', 'max_usage');
    for (const field of needed) {
      if (asked[field] === undefined) problem.addIssue({ code: 'custom', path: [field], message: 'is required' });
    }
    const { min_amount: min, max_amount: max } = asked;
    if (asked.amount_type === 'open' && min !== undefined && max !== undefined && max < min)
      problem.addIssue({ code: 'custom', path: ['max_amount'], message: 'must be at least min_amount' });
  });

/** POST virtual-accounts/{account_id} (contract §5). Refusals: validation, and those of money-in. */
export const createVirtualAccount = operation({
  id: 'createVirtualAccount',
  summary: 'Create a virtual account',
  description:
    'A `closed` one takes exactly `amount`, an `open` one any amount from `min_amount` to `max_amount`. ' +
    'A `temporary` one needs `expired_at` and `max_usage`.',
  input: z.object({ params: ofAccount, body }),
  data: virtualAccountSchema,
  creates: true,
  links: {
    showVirtualAccount: { account_id: '$request.path.account_id', id: '$response.body#/data/id' },
    updateVirtualAccount: { account_id: '$request.path.account_id', id: '$response.body#/data/id' },
    deleteVirtualAccount: { account_id: '$request.path.account_id', id: '$response.body#/data/id' },
  },
  refusals: ['frozen'],
  async handle({ virtualAccounts }, { caller, params, body: asked, idempotencyKey }) {
    const { virtualAccount, replayed } = await virtualAccounts.createVirtualAccount({
      merchantId: caller.merchantId,
      accountId: params.account_id,
      bankCode: asked.bank_code,
      kind: asked.kind === 'permanent' ? VirtualAccountKind.PERMANENT : VirtualAccountKind.TEMPORARY,
      amountType: asked.amount_type === 'open' ? AmountType.OPEN : AmountType.CLOSED,
      name: asked.name,
      merchantReffNo: asked.merchant_reff_no,
      ...(asked.amount !== undefined && { amountSen: asked.amount }),
      ...(asked.min_amount !== undefined && { minAmountSen: asked.min_amount }),
      ...(asked.max_amount !== undefined && { maxAmountSen: asked.max_amount }),
      ...(asked.expired_at !== undefined && { expiredAtMs: asked.expired_at }),
      ...(asked.max_usage !== undefined && { maxUsage: asked.max_usage }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    return { data: dataOf(virtualAccount), replayed };
  },
});

/** The virtual account of an answer. */
export function dataOf(virtualAccount: VirtualAccount | undefined): VirtualAccountJson {
  if (virtualAccount === undefined) throw new Error('money-in answered no virtual account');
  return presentVirtualAccount(virtualAccount);
}
