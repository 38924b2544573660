import { isUlid, RefusalError, refuse } from '@gerbang/core';
import type { MerchantDirectory } from '@gerbang/neighbours';
import type { TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { findPage, readPage } from '@gerbang/store';
import type { SagaContext } from './change.ts';
import type { StoredTransfer } from './document.ts';
import { storedStatuses } from './message.ts';
import type { Product } from './product.ts';
import type { StateFilter } from './store.ts';

export type ReadingContext = Pick<SagaContext, 'transfers'> & { merchants: MerchantDirectory };

type Whose = { merchantId: string; accountId: string };
type TransferName = { case: 'referenceNumber' | 'transactionId'; value: string } | { case: undefined };

/**
 * One transfer of a product, by reference number or transaction id. Refusals: product_not_allowed, those of the account,
 * transaction_not_found.
 */
export async function getTransfer(
  context: ReadingContext,
  product: Product,
  { merchantId, accountId, by }: Whose & { by: TransferName },
): Promise<StoredTransfer> {
  await context.merchants.admitProduct(merchantId, product.name);
  await context.merchants.account(merchantId, accountId);
  const found = await find(context, accountId, by);
  const isTheirs = found?.order.merchantId === merchantId && found.order.accountId === accountId;
  if (found === undefined || !isTheirs || found.product !== product) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}

function find({ transfers }: ReadingContext, accountId: string, by: TransferName) {
  switch (by.case) {
    case 'referenceNumber':
      return transfers.find(accountId, by.value);
    case 'transactionId':
      return transfers.findByTransactionId(by.value);
    case undefined:
      throw new RefusalError(refuse('bad_request', { message: 'reference_number or transaction_id is missing' }));
    default:
      return by satisfies never;
  }
}

/** What a list asks for, as the contracts between services have it: an empty text is no filter. */
export type ListRequest = Whose & {
  limit: number;
  cursor: string;
  status: TransferStatus;
  referenceNumber: string;
  fromMs?: bigint | undefined;
  toMs?: bigint | undefined;
  /**
   * Of a product whose statuses are finer than those of all transfers: how the documents are found that have the one asked for.
   */
  state?: StateFilter | undefined;
};

/** A page of a product's transfers, newest first. Refusals: validation (cursor), product_not_allowed, those of the account. */
export async function listTransfers(
  context: ReadingContext,
  product: Product,
  request: ListRequest,
): Promise<{ items: StoredTransfer[]; nextCursor: string }> {
  const page = readPage(request, isUlid);
  const { merchantId, accountId, referenceNumber, fromMs, toMs } = request;
  await context.merchants.admitProduct(merchantId, product.name);
  await context.merchants.account(merchantId, accountId);
  const statuses = storedStatuses(request.status);
  if (statuses?.length === 0) return { items: [], nextCursor: '' };
  const filter = {
    product,
    merchantId,
    accountId,
    statuses,
    state: request.state,
    referenceNumber: referenceNumber === '' ? undefined : referenceNumber,
    fromMs: fromMs === undefined ? undefined : Number(fromMs),
    toMs: toMs === undefined ? undefined : Number(toMs),
  };
  return findPage(
    page,
    (query) => context.transfers.list({ ...filter, ...query }),
    ({ order }) => order.transactionId,
  );
}
