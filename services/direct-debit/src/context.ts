import type { Clock } from '@gerbang/core';
import type { MerchantDirectory, SettlesAt } from '@gerbang/neighbours';
import type { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { DirectDebitRail } from '@gerbang/rails/direct-debit';
import type { RpcClient } from '@gerbang/rpc';
import type { BackgroundWork, Logger } from '@gerbang/runtime';
import type { IdempotencyKeys } from '@gerbang/store';
import type { BindingStore } from './binding/store.ts';
import type { Quotas } from './charge/quota-store.ts';
import type { ChargeStore } from './charge/store.ts';
import type { DiscrepancyStore } from './discrepancy/store.ts';
import type { Metrics } from './metrics.ts';
import type { OtpCounts } from './otp/counts.ts';
import type { Sealing } from './seal.ts';

/** The service's dependencies as one plain object. */
export type Context = {
  bindings: BindingStore;
  charges: ChargeStore;
  discrepancies: DiscrepancyStore;
  /** What was charged to each binding, by day. */
  quotas: Quotas;
  /** OTPs of each customer, by day. */
  otpCounts: OtpCounts;
  rail: DirectDebitRail;
  ledger: RpcClient<typeof LedgerService>;
  merchants: MerchantDirectory;
  idempotencyKeys: IdempotencyKeys;
  sealing: Sealing;
  settlesAt: SettlesAt;
  /** pay_url, without a slash at the end. */
  payUrl: string;
  /** What is more than that, sen, needs an OTP. */
  otpAboveSen: bigint;
  /** How long a customer has to bind an account. */
  bindingMs: number;
  /** Whether the bank wants an OTP before a binding ends. */
  unbindNeedsOtp: boolean;
  railTimeoutMs: number;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Work that outlives its request; draining waits for it. */
  background: BackgroundWork;
  /** Charges that this process is working on just now; their timer has nothing to do. */
  inProgress: Set<string>;
};

/** The product's name in merchants' lists of products, fees and limits, and of its rail. */
export const DIRECT_DEBIT = 'direct-debit';
