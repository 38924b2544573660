import type { MerchantDirectory } from '@gerbang/neighbours';
import type { PrepaidRail } from '@gerbang/rails/prepaid';
import type { BackgroundWork } from '@gerbang/runtime';
import type { IdempotencyKeys } from '@gerbang/store';
import type { CutOff } from './cut-off.ts';
import type { Inquiries } from './inquiry/store.ts';
import type { Products } from './product/store.ts';
import type { PurchaseContext } from './purchase/change.ts';
import type { InProgress } from './purchase/on-due.ts';

/** The service's dependencies as one plain object. */
export type Context = Omit<PurchaseContext, 'rail'> & {
  rail: Pick<PrepaidRail, 'inquire' | 'purchase'>;
  products: Products;
  inquiries: Inquiries;
  merchants: MerchantDirectory;
  cutOff: CutOff;
  idempotencyKeys: IdempotencyKeys;
  inProgress: InProgress;
  /** Calls to the biller that have outlived their request; draining waits for them. */
  background: BackgroundWork;
};
