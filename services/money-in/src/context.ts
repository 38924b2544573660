import type { Clock, VaSeries } from '@gerbang/core';
import type { MerchantDirectory, SettlesAt } from '@gerbang/neighbours';
import type { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Reconciled } from '@gerbang/reconciliation';
import type { RpcClient } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';
import type { IdempotencyKeys } from '@gerbang/store';
import type { Metrics } from './metrics.ts';
import type { PaymentStore } from './payment/store.ts';
import type { Claims } from './payment-request/claims.ts';
import type { Kinds } from './payment-request/kind.ts';
import type { Sequences } from './payment-request/sequences.ts';
import type { PaymentRequestStore } from './payment-request/store.ts';
import type { AskRail } from './rail/ask.ts';
import type { Rails } from './rails.ts';

/** The service's dependencies as one plain object. */
export type Context = {
  kinds: Kinds;
  paymentRequests: PaymentRequestStore;
  payments: PaymentStore;
  claims: Claims;
  /** Public numbers, by the name of what they number. */
  numbers: Sequences;
  ledger: RpcClient<typeof LedgerService>;
  merchants: MerchantDirectory;
  idempotencyKeys: IdempotencyKeys;
  /** Which payments were found in the rails' books. */
  reconciled: Reconciled;
  settlesAt: SettlesAt;
  vaSeries: VaSeries;
  /** Where customers' pages are, without a slash at the end. */
  payUrl: string;
  /** How long the session of an opened payment link lasts. */
  sessionMs: number;
  /** How long it still lasts, at most, once it holds the link's last use. */
  holdMs: number;
  /** The ledger partition of money without an owner. */
  suspensePartition: string;
  rails: Rails;
  /** What rails know of payments that they have not reported. */
  askRail: AskRail;
  /** For one call to a rail. */
  railTimeoutMs: number;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
};
