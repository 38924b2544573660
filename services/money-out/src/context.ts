import type { IdempotencyKeys } from '@gerbang/store';
import type { AccountTransferStore } from './account-transfer/store.ts';
import type { Products, Rails } from './products.ts';
import type { Inquiries } from './qris-payment/inquiry.ts';
import type { PlacingContext } from './transfer/place.ts';

/** The service's dependencies as one plain object. */
export type Context = PlacingContext & {
  products: Products;
  rails: Rails;
  accountTransfers: AccountTransferStore;
  /** Codes that were asked about and are not ordered yet. */
  inquiries: Inquiries;
  idempotencyKeys: IdempotencyKeys;
};
