import type { ListSettlementsRequest } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { findPage } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { merchantAccount } from '../../posting/account.ts';
import type { PostingDocument } from '../../projector/posting-document.ts';
import { entryId } from '../id.ts';
import { writePosition } from '../position.ts';
import { openWindow } from '../window.ts';

/**
 * Money in that has settled, newest first, over all accounts of the merchant or one, all products or one (contract §5). Cursors
 * are as stable as a statement's. A settlement has the id of its statement entry. Refusals: validation, unavailable, timeout.
 */
export async function listSettlements(context: Context, request: ListSettlementsRequest, signal: AbortSignal) {
  const { merchantId, accountId, product } = request;
  const window = await openWindow(context, request, signal);
  const filter = {
    merchantId,
    accountId: accountId === '' ? undefined : accountId,
    product: product === '' ? undefined : product,
  };
  const { items, nextCursor } = await findPage(
    { limit: window.limit, before: undefined },
    ({ limit }) => context.statements.settlements({ ...window, ...filter, limit }),
    writePosition,
  );
  return { settlements: items.map(toSettlement), nextCursor };
}

function toSettlement(posting: PostingDocument) {
  return {
    id: entryId(posting._id, merchantAccount(posting.merchant_id, posting.account_id, 'available')),
    accountId: posting.account_id,
    product: posting.product,
    transactionId: posting.transaction_id,
    referenceNumber: posting.reference_number,
    amountSen: posting.amount_sen + posting.fee_sen,
    feeSen: posting.fee_sen,
    netAmountSen: posting.amount_sen,
    settledAtMs: BigInt(posting.at.getTime()),
  };
}
