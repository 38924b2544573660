import { newUlid, RefusalError, refuse } from '@gerbang/core';
import type { CheckBeneficiaryRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { callWithin } from '@gerbang/rails';
import type { Context } from '../../context.ts';

import { DISBURSEMENT, mustFindBank } from '../content.ts';

/** Asks the bank whose account this is. Refusals: validation (bank_code), product_not_allowed, not_found, vendor_inactive. */
export async function checkBeneficiary(context: Context, request: CheckBeneficiaryRequest) {
  const bank = mustFindBank(request.bankCode);
  await context.merchants.admitProduct(request.merchantId, DISBURSEMENT);
  const inquiry = {
    bankCode: bank.nationalCode,
    accountNumber: request.bankAccountNumber,
    partnerReference: newUlid(context.clock.now()),
  };
  const found = await callWithin(context.railTimeoutMs, (signal) =>
    context.rails.bankTransfer.inquireAccount(inquiry, { signal }),
  );
  switch (found.outcome) {
    case 'found':
      return {
        bankCode: request.bankCode,
        bankName: bank.name,
        bankAccountNumber: request.bankAccountNumber,
        bankAccountName: found.accountName,
      };
    case 'not_found':
      throw new RefusalError(refuse('not_found', { message: 'The beneficiary account could not be verified' }));
    case 'unknown':
      throw new RefusalError(refuse('vendor_inactive', { message: 'The beneficiary bank does not answer; try again later' }));
    default:
      return found satisfies never;
  }
}
