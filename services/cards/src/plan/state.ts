import type { CardBrand } from '@gerbang/core';
import type { Customer } from '../payment/state.ts';
import type { Calendar } from './calendar.ts';

/** What a merchant has ordered; never changes. Sen, Unix milliseconds of business time. */
export type PlanOrder = {
  /** A ULID. */
  id: string;
  merchantId: string;
  accountId: string;
  name: string;
  amountSen: bigint;
  calendar: Calendar;
  /** Undefined: until it is cancelled. */
  totalCycles: number | undefined;
  customer: Customer;
  redirectUrl: string;
  createdAtMs: number;
};

/** The card of a plan: its token in the vault, and what may be shown. */
export type PlanCard = {
  token: string;
  maskedCard: string;
  brand: CardBrand;
  holderName: string;
  /** MM/YY */
  expiry: string;
  expiresAtMs: number;
  /** Of the first charge that has succeeded with it; empty before. */
  networkTransactionId: string;
  isExpiryAnnounced: boolean;
};

/** `pending`: the first charge has no outcome. `past_due`: the open cycle has failed for good. */
export type PlanStatus = 'pending' | 'active' | 'paused' | 'past_due' | 'cancelled' | 'completed';

export type PlanState = {
  status: PlanStatus;
  card: PlanCard;
  /** The next cycle to be charged. */
  nextCycle: number;
  /** The one that is being charged, or has failed and waits for another card. Cycles are charged one after another. */
  open: OpenCycle | undefined;
  paidCycles: number;
  pausedAtMs: number | undefined;
  /** Pauses that are over, and that cycles to come fell due in. */
  skips: readonly Skip[];
  ended: { atMs: number; reason: EndReason } | undefined;
};

/** `hasFailed`: it is charged again only with another card. */
export type OpenCycle = { cycle: number; hasFailed: boolean };

/** What falls due in it, its ends included, is not charged. */
export type Skip = { fromMs: number; toMs: number };

export type EndReason = 'merchant' | 'declined' | 'not_authenticated' | 'completed';

/** Refers later charges to one that its customer has agreed to, and by which card: the plan may have another one by then. */
export type NetworkReference = { networkTransactionId: string; maskedCard: string };

export type PlanCommand =
  /** Charges the next cycle where it is due. */
  | { type: 'begin-cycle' }
  /** `reference`: by what the card network knows the charge; undefined where the plan need not know. */
  | { type: 'cycle-paid'; cycle: number; reference: NetworkReference | undefined }
  /** All its charges have failed. `isDeclined`: by the issuer, and not for want of an authentication. */
  | { type: 'cycle-failed'; cycle: number; isDeclined: boolean }
  | { type: 'pause' }
  | { type: 'resume' }
  | { type: 'cancel' }
  | { type: 'replace-card'; card: PlanCard }
  /** Its card was given up by the vault before the plan named it, and was kept once more. */
  | { type: 'card-kept'; lost: string; token: string }
  /** The customer of the first charge was not authenticated in a day. */
  | { type: 'give-up' }
  | { type: 'announce-expiry' };

export type PlanPublished =
  | 'subscription.activated'
  | 'subscription.past_due'
  | 'subscription.cancelled'
  | 'subscription.completed'
  | 'subscription.card_expiring';

export type PlanEvent = { type: 'changed'; state: PlanState; published: readonly PlanPublished[] };

export function hasEnded({ status }: PlanState): boolean {
  return status === 'cancelled' || status === 'completed';
}
