import type { MerchantDirectory } from '@gerbang/neighbours';
import type { BackgroundWork } from '@gerbang/runtime';
import type { AuditLog, IdempotencyKeys } from '@gerbang/store';
import type { AccountTransferStore } from './account-transfer/store.ts';
import type { InProgress } from './transfer/on-due.ts';
import type { SagaContext } from './transfer/saga.ts';

/** The service's dependencies as one plain object. */
export type Context = SagaContext & {
  accountTransfers: AccountTransferStore;
  merchants: MerchantDirectory;
  idempotencyKeys: IdempotencyKeys;
  audit: AuditLog;
  inProgress: InProgress;
  /** Calls to the rail that have outlived their request; draining waits for them. */
  background: BackgroundWork;
};
