import { RefusalError, refuseField } from '@gerbang/core';
import { type ListEntriesRequest, EntryType as WireEntryType } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { findPage } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { intentOf } from '../../journal/document.ts';
import { ID, merchantAccount } from '../../posting/account.ts';
import type { PostingDocument } from '../../projector/posting-document.ts';
import { entryId } from '../id.ts';
import { ENTRY_TYPES, type EntryType, statementKey } from '../keys.ts';
import { writePosition } from '../position.ts';
import { openWindow } from '../window.ts';

/**
 * A page of an account's statement, newest first: every change of its available balance, with the balance after it (contract §4).
 * Pages that follow each other's cursors neither miss nor repeat an entry while new ones arrive. An account that nothing has
 * touched has an empty one. Refusals: validation (account_id, type, and those of every listing), unavailable, timeout.
 */
export async function listEntries(context: Context, request: ListEntriesRequest, signal: AbortSignal) {
  const { merchantId, accountId } = request;
  if (!ID.test(accountId)) throw new RefusalError(refuseField('account_id', 'is not an id'));
  const statements = typesOf(request.type).map((type) => statementKey(merchantId, accountId, type));
  const window = await openWindow(context, request, signal);
  const { items, nextCursor } = await findPage(
    { limit: window.limit, before: undefined },
    ({ limit }) => context.statements.entries({ ...window, limit, statements }),
    writePosition,
  );
  return { entries: items.map((posting) => toEntry(posting, merchantId, accountId)), nextCursor };
}

function typesOf(wanted: WireEntryType): readonly EntryType[] {
  switch (wanted) {
    case WireEntryType.UNSPECIFIED:
      return ENTRY_TYPES;
    case WireEntryType.CREDIT:
      return ['credit'];
    case WireEntryType.DEBIT:
      return ['debit'];
    default: {
      wanted satisfies never;
      throw new RefusalError(refuseField('type', 'is unknown'));
    }
  }
}

function toEntry(posting: PostingDocument, merchantId: string, accountId: string) {
  const available = merchantAccount(merchantId, accountId, 'available');
  const leg = posting.legs.find(({ account }) => account === available);
  if (leg === undefined) throw new Error(`posting ${posting._id} is no entry of ${available}`);
  return {
    id: entryId(posting._id, available),
    accountId,
    type: leg.sen > 0n ? WireEntryType.CREDIT : WireEntryType.DEBIT,
    amountSen: leg.sen > 0n ? leg.sen : -leg.sen,
    feeSen: feeWithin(posting, leg.sen),
    balanceAfterSen: leg.after_sen,
    product: posting.product,
    transactionId: posting.transaction_id,
    referenceNumber: posting.reference_number,
    description: posting.description,
    postedAtMs: BigInt(posting.at.getTime()),
  };
}

/**
 * The part of the amount that is a fee. What is credited or settles is net of its fee already; a refund's is gross, but its fee
 * was taken before.
 */
function feeWithin({ intent: text, amount_sen, fee_sen, side, compensation }: PostingDocument, sen: bigint): bigint {
  const intent = intentOf(text);
  switch (intent) {
    case 'hold':
    case 'release':
      return fee_sen;
    // Of one that is owed in part it can't be told which part is the fee.
    case 'reserve':
    case 'restore':
      return sen === amount_sen + fee_sen || -sen === amount_sen + fee_sen ? fee_sen : 0n;
    case 'refund':
      return side === 'pending' ? fee_sen : 0n;
    case 'compensate':
      return compensation === 'payment-withdrawn' ? 0n : fee_sen;
    case 'capture':
    case 'credit':
    case 'transfer':
    case 'settle':
    case 'forfeit':
      return 0n;
    default:
      return intent satisfies never;
  }
}
