import type { Clock } from '@gerbang/core';
import type { MerchantDirectory, SettlesAt } from '@gerbang/neighbours';
import type { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { LinkCardService } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import type { AcquirerTerms, CardRail } from '@gerbang/rails/card';
import type { RpcClient } from '@gerbang/rpc';
import type { BackgroundWork, Logger } from '@gerbang/runtime';
import type { IdempotencyKeys } from '@gerbang/store';
import type { ChargebackStore } from './chargeback/store.ts';
import type { CycleStore } from './cycle/store.ts';
import type { Velocity } from './limits/velocity.ts';
import type { Metrics } from './metrics.ts';
import type { LatelyAsked } from './payment/lately-asked.ts';
import type { PaymentStore } from './payment/store.ts';
import type { Outage } from './plan/outage.ts';
import type { PlanStore } from './plan/store.ts';
import type { Vault } from './vault/vault.ts';

/** The service's dependencies as one plain object. */
export type Context = {
  payments: PaymentStore;
  plans: PlanStore;
  cycles: CycleStore;
  chargebacks: ChargebackStore;
  vault: Vault;
  /** Bounds what card testers can try. */
  velocity: Velocity;
  rail: CardRail;
  /** Whether the acquirer answers at all: charges of plans wait for that. */
  outage: Outage;
  /** What the acquirer offers. */
  terms: AcquirerTerms;
  ledger: RpcClient<typeof LedgerService>;
  merchants: MerchantDirectory;
  /** Sessions of payment links, which are money-in's. */
  links: RpcClient<typeof LinkCardService>;
  idempotencyKeys: IdempotencyKeys;
  settlesAt: SettlesAt;
  /** pay_url, without a slash at the end. */
  payUrl: string;
  /** From the authorisation to the capture, business time. */
  captureAfterMs: number;
  /** How long a customer has to be authenticated. */
  challengeMs: number;
  railTimeoutMs: number;
  /** Between the charges of a cycle that fail. */
  planRetryMs: number;
  /** What a merchant is charged for each chargeback, unless it is won. */
  chargebackFeeSen: bigint;
  /** Where money without an owner is. */
  suspensePartition: string;
  /** A payment of a plan has an outcome: the plan goes on at once, and not when its timer fires. */
  onChargeFinished: (planId: string) => void;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Work that outlives its request; draining waits for it. */
  background: BackgroundWork;
  /** Payments that this process is working on just now; their timer has nothing to do. */
  inProgress: Set<string>;
  /** Payments whose customers need not have the acquirer asked again yet. */
  latelyAsked: LatelyAsked;
};

/** The product's name in merchants' lists of products, fees and limits, and of its rail. */
export const CARD = 'card';
