import type { Clock, VaSeries } from '@gerbang/core';
import type { MerchantDirectory, SettlesAt } from '@gerbang/neighbours';
import type { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { EwalletRail, QrisRail } from '@gerbang/rails';
import type { RpcClient } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';
import type { AuditLog, IdempotencyKeys } from '@gerbang/store';
import type { Metrics } from './metrics.ts';
import type { Claims } from './payable/claims.ts';
import type { Sequence } from './payable/sequence.ts';
import type { PayableStore } from './payable/store.ts';
import type { PaymentStore } from './payment/store.ts';
import type { AskRail } from './rail/ask.ts';

/** Acquirers that make what customers pay by; banks and shops ask for numbers when they are paid. */
export type Rails = {
  qris: QrisRail;
  ewallet: EwalletRail;
  acquirerName: string;
  merchantCity: string;
  /** By which the edge knows who calls for them. */
  callbackPartnerIds: { qris: string; ewallet: string };
};

/** The service's dependencies as one plain object. */
export type Context = {
  payables: PayableStore;
  payments: PaymentStore;
  claims: Claims;
  /** Numbers of QRIS transactions, payment links and their histories. */
  numbers: { qris: Sequence; link: Sequence; history: Sequence };
  ledger: RpcClient<typeof LedgerService>;
  merchants: MerchantDirectory;
  idempotencyKeys: IdempotencyKeys;
  audit: AuditLog;
  settlesAt: SettlesAt;
  vaSeries: VaSeries;
  /** Where customers' pages are, without a slash at the end. */
  payUrl: string;
  /** How long the session of an opened payment link lasts. */
  sessionMs: number;
  /** The ledger partition of money that is nobody's. */
  suspensePartition: string;
  rails: Rails;
  /** What rails know of payments that nobody has told of. */
  askRail: AskRail;
  /** For one call to a rail. */
  railTimeoutMs: number;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
};
