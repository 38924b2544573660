import { ACCOUNT_TRANSFER } from './account-transfer/account-transfer.ts';
import type { StoredAccountTransferDocument } from './account-transfer/document.ts';
import { onAccountTransferDue } from './account-transfer/on-due.ts';
import type { Context } from './context.ts';
import type { StoredTransferDocument } from './transfer/document.ts';
import { onTransferDue } from './transfer/on-due.ts';

/** A document of the collection that all money-out products share. */
export type MoneyOutDocument = StoredTransferDocument | StoredAccountTransferDocument;

/** Handles a transaction whose timer has fired, as its product does. */
export function onDue(context: Context, document: MoneyOutDocument): Promise<void> {
  if (isAccountTransfer(document)) return onAccountTransferDue(context, context.accountTransfers.fromDocument(document));
  return onTransferDue(context, context.inProgress, context.transfers.fromDocument(document));
}

function isAccountTransfer(document: MoneyOutDocument): document is StoredAccountTransferDocument {
  return document.product === ACCOUNT_TRANSFER;
}
