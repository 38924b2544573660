import { feeFor } from '@gerbang/core';
import { feeRulesOf } from '@gerbang/neighbours';
import type { GetFeeRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { Context } from '../../context.ts';

import { DISBURSEMENT, mustFindBank } from '../content.ts';

/**
 * The fee of a disbursement to a bank. Refusals: validation (bank_code), product_not_allowed, account_not_found,
 * account_of_other_merchant.
 */
export async function getFee(context: Context, request: GetFeeRequest) {
  const bank = mustFindBank(request.bankCode);
  const profile = await context.merchants.admitProduct(request.merchantId, DISBURSEMENT);
  await context.merchants.account(request.merchantId, request.accountId);
  // Disbursements have a fixed fee; a percentage would need the amount, which this question does not carry.
  const charge = { product: DISBURSEMENT, channel: bank.nationalCode, amountSen: 0n, nowMs: context.clock.now() };
  return { bankCode: request.bankCode, feeSen: feeFor(feeRulesOf(profile), charge).feeSen };
}
