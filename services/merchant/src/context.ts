import type { Clock, NewId } from '@gerbang/core';
import type { Keys } from '@gerbang/keys';
import type { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { RpcClient } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';
import type { IdempotencyKeys, Store } from '@gerbang/store';
import type { AccountStore } from './account/store.ts';
import type { ApprovalStore } from './approval/store.ts';
import type { OperatorLog } from './audit/log.ts';
import type { RefusedTokens } from './gate/refused-tokens.ts';
import type { MerchantStore } from './merchant/store.ts';
import type { Metrics } from './metrics.ts';
import type { OidcProvider } from './oidc/provider.ts';
import type { Thresholds } from './operator/thresholds.ts';
import type { OperatorStore } from './operators/store.ts';
import type { SigningKeys } from './token/signing-keys.ts';

/** The service's dependencies as one plain object. */
export type Context = {
  store: Store;
  merchants: MerchantStore;
  accounts: AccountStore;
  signingKeys: SigningKeys;
  idempotencyKeys: IdempotencyKeys;
  audit: OperatorLog;
  refusedTokens: RefusedTokens;
  operators: OperatorStore;
  /** Where operators may log in; undefined where they have keys only. */
  provider: OidcProvider | undefined;
  approvals: ApprovalStore;
  /** From which on a second operator approves. */
  thresholds: Thresholds;
  ledger: RpcClient<typeof LedgerService>;
  keys: Keys<'client-secret'>;
  /** Business time: what merchants and events are dated by. */
  clock: Clock;
  /** Real time: what authentication goes by. */
  realNow: () => number;
  newId: NewId;
  /** The ledger partitions that new merchants are spread over. */
  partitions: readonly string[];
  /** Whether callback URLs may be http: in sandboxes. */
  httpAllowed: boolean;
  metrics: Metrics;
  log: Logger;
};
