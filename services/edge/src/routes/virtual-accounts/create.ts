import { VA_BANK_CODES } from '@gerbang/core';
import { presentVirtualAccount } from '@gerbang/present';
import { AmountType, type VirtualAccount, VirtualAccountKind } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { numberAmount, orAbsent, textUpTo, unixMs } from '../../http/fields.ts';
import { idempotencyKeyOf } from '../../http/idempotency.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { maxUsage } from '../money-in-fields.ts';

const bankCodes = `must be one of ${VA_BANK_CODES.join(', ')}`;
const oneOf = (message: string) => ({
  error: (issue: { input: unknown }) => (issue.input === undefined ? 'is required' : message),
});

/**
 * merchant-api.md, virtual account. The bounds of amounts are the merchant's own, and the future is business time's: money in
 * says.
 */
const body = z
  .object({
    bank_code: z.enum(VA_BANK_CODES, oneOf(bankCodes)),
    kind: z.enum(['temporary', 'permanent'], oneOf('must be temporary or permanent')),
    amount_type: z.enum(['open', 'closed'], oneOf('must be open or closed')).default('closed'),
    name: textUpTo(200),
    merchant_reff_no: textUpTo(255),
    expired_at: orAbsent(unixMs),
    max_usage: orAbsent(maxUsage),
    amount: orAbsent(numberAmount),
    min_amount: orAbsent(numberAmount),
    max_amount: orAbsent(numberAmount),
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
export const createVirtualAccount: Handler = async ({ virtualAccounts }, call) => {
  const idempotencyKey = idempotencyKeyOf(call);
  const asked = validate(body, call.body);
  const { virtualAccount, replayed } = await virtualAccounts.createVirtualAccount({
    merchantId: call.caller.merchantId,
    accountId: call.params.account_id ?? '',
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
};

/** The virtual account of an answer. */
export function dataOf(virtualAccount: VirtualAccount | undefined): object {
  if (virtualAccount === undefined) throw new Error('money-in answered no virtual account');
  return presentVirtualAccount(virtualAccount);
}
