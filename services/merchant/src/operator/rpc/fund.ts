import { formatSen } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { FundRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import { ownAccount } from '../../account/rpc/get-account.ts';
import type { Context } from '../../context.ts';
import { mustFind } from '../../merchant/change-merchant.ts';
import { field, parse } from '../input.ts';

/**
 * Credits an account from a rail, once for each operation id for ever; a repetition answers the first result. Answers the
 * available balance right after the credit, sen. Refusals: validation, merchant_not_found, account_not_found,
 * account_of_other_merchant, posting_key_conflict (the operation id was used for another credit), unavailable.
 */
export async function fund(context: Context, request: FundRequest, call: OperatorCall) {
  const { merchantId, accountId, amountSen, operationId, rail } = parse(
    {
      merchantId: field.merchantId,
      accountId: field.accountId,
      amountSen: field.positiveSen,
      operationId: field.operationId,
      rail: field.rail,
    },
    request,
  );
  const { merchant } = await mustFind(context, merchantId);
  await ownAccount(context, merchantId, accountId);
  call.record({
    target: `account:${accountId}`,
    after: { merchant_id: merchantId, amount: formatSen(amountSen), rail, operation_id: operationId },
  });
  const { availableAfterSen } = await context.ledger.post({
    merchantId,
    partition: merchant.partition,
    postingKey: `fund:${operationId}`,
    intent: Intent.CREDIT,
    accountId,
    amountSen,
    feeSen: 0n,
    rail,
    product: 'funding',
    transactionId: operationId,
    referenceNumber: operationId,
    description: 'Funding',
  });
  context.metrics.commanded('account.fund');
  return { availableSen: availableAfterSen };
}
