import { ulidFloor, ulidTimeMs } from '@gerbang/core';
import type { ReadPayment } from '@gerbang/reconciliation';
import type { Product } from '../transfer/product.ts';
import type { TransferStore } from '../transfer/store.ts';
import { type Clues, toOurPayment } from './our-payment.ts';

/** What is to be known of a product: how its transaction ids begin, and what its rail's remarks say of a transfer. */
export type Reconciled = { product: Product; idPrefix: string; cluesOf(document: object): Clues };

const PAGE = 1_000;
/** A transaction id is at most a day older than its order: that long an Idempotency-Key and a QRIS inquiry keep one. */
const ID_AGE_MAX_MS = 24 * 3_600_000;

/**
 * A product's transfers that were ordered in a period, in the order of their ids, which begin with their time: so they are read by
 * an index that is there for other reasons, and ordering costs nothing more.
 */
export async function* readTransfers(
  { transfers, nowMs }: { transfers: TransferStore; nowMs: () => number },
  { product, idPrefix, cluesOf }: Reconciled,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  amountsSen: readonly bigint[] | undefined,
): AsyncGenerator<ReadPayment> {
  const end = `${idPrefix}${ulidFloor(toMs)}`;
  let after = `${idPrefix}${ulidFloor(fromMs - ID_AGE_MAX_MS)}`;
  for (;;) {
    const page = await transfers.listOrdered({ product, after, end, fromMs, toMs, amountsSen, limit: PAGE });
    for (const transfer of page) {
      const { transactionId } = transfer.order;
      const readToMs = ulidTimeMs(transactionId.slice(idPrefix.length));
      yield { payment: toOurPayment(transfer, cluesOf(transfer.document), nowMs()), readToMs };
      after = transactionId;
    }
    if (page.length < PAGE) return;
  }
}
