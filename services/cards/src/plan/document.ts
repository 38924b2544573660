import type { CardBrand, Storable } from '@gerbang/core';
import type { AggregateDocument, Due } from '@gerbang/store';
import type { Customer } from '../payment/state.ts';
import type { Interval } from './calendar.ts';
import type { EndReason, PlanCard, PlanOrder, PlanState, PlanStatus } from './state.ts';

/** A plan as it was read, with the version that the next change is conditional on. */
export type StoredPlan = { order: PlanOrder; state: PlanState; document: StoredPlanDocument };

type CardDocument = {
  token: string;
  masked_card: string;
  brand: CardBrand;
  holder_name: string;
  expiry: string;
  expires_at: Date;
  network_transaction_id: string;
  is_expiry_announced: boolean;
};

type StateFields = {
  status: PlanStatus;
  card: CardDocument;
  next_cycle: number;
  open_cycle?: { cycle: number; has_failed: boolean };
  paid_cycles: number;
  paused_at?: Date;
  skips?: { from: Date; to: Date }[];
  ended?: { at: Date; reason: EndReason };
};

/** `Storable`: what has a card in it does not compile here. */
export type PlanDocument = Storable<
  Due &
    StateFields & {
      account_id: string;
      name: string;
      amount_sen: bigint;
      interval: Interval;
      interval_count: number;
      total_cycles?: number;
      start_at: Date;
      customer: Customer;
      redirect_url: string;
      created_at: Date;
    }
>;

export type StoredPlanDocument = AggregateDocument<PlanDocument>;

const OPTIONAL_FIELDS = ['open_cycle', 'paused_at', 'skips', 'ended'] as const;

export function newPlanDocument(order: PlanOrder, state: PlanState, dueMs: number): PlanDocument {
  return {
    account_id: order.accountId,
    name: order.name,
    amount_sen: order.amountSen,
    interval: order.calendar.interval,
    interval_count: order.calendar.count,
    ...(order.totalCycles !== undefined && { total_cycles: order.totalCycles }),
    start_at: new Date(order.calendar.startAtMs),
    customer: order.customer,
    redirect_url: order.redirectUrl,
    created_at: new Date(order.createdAtMs),
    due_at: new Date(dueMs),
    ...toStateFields(state),
  };
}

/** The fields that make a document stand so, and those that it must not have any more. */
export function stateChange(state: PlanState, document: StoredPlanDocument) {
  const set = toStateFields(state);
  return { set, unset: OPTIONAL_FIELDS.filter((field) => !(field in set) && field in document) };
}

function toStateFields({ status, card, nextCycle, open, paidCycles, pausedAtMs, skips, ended }: PlanState): StateFields {
  return {
    status,
    card: {
      token: card.token,
      masked_card: card.maskedCard,
      brand: card.brand,
      holder_name: card.holderName,
      expiry: card.expiry,
      expires_at: new Date(card.expiresAtMs),
      network_transaction_id: card.networkTransactionId,
      is_expiry_announced: card.isExpiryAnnounced,
    },
    next_cycle: nextCycle,
    ...(open && { open_cycle: { cycle: open.cycle, has_failed: open.hasFailed } }),
    paid_cycles: paidCycles,
    ...(pausedAtMs !== undefined && { paused_at: new Date(pausedAtMs) }),
    ...(skips.length > 0 && { skips: skips.map(({ fromMs, toMs }) => ({ from: new Date(fromMs), to: new Date(toMs) })) }),
    ...(ended && { ended: { at: new Date(ended.atMs), reason: ended.reason } }),
  };
}

export function fromPlanDocument(document: StoredPlanDocument): StoredPlan {
  const order: PlanOrder = {
    id: document._id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    name: document.name,
    amountSen: document.amount_sen,
    calendar: { startAtMs: document.start_at.getTime(), interval: document.interval, count: document.interval_count },
    totalCycles: document.total_cycles,
    customer: document.customer,
    redirectUrl: document.redirect_url,
    createdAtMs: document.created_at.getTime(),
  };
  const { open_cycle: open, skips = [], ended } = document;
  const state: PlanState = {
    status: document.status,
    card: toCard(document.card),
    nextCycle: document.next_cycle,
    open: open && { cycle: open.cycle, hasFailed: open.has_failed },
    paidCycles: document.paid_cycles,
    pausedAtMs: document.paused_at?.getTime(),
    skips: skips.map(({ from, to }) => ({ fromMs: from.getTime(), toMs: to.getTime() })),
    ended: ended && { atMs: ended.at.getTime(), reason: ended.reason },
  };
  return { order, state, document };
}

function toCard(stored: CardDocument): PlanCard {
  return {
    token: stored.token,
    maskedCard: stored.masked_card,
    brand: stored.brand,
    holderName: stored.holder_name,
    expiry: stored.expiry,
    expiresAtMs: stored.expires_at.getTime(),
    networkTransactionId: stored.network_transaction_id,
    isExpiryAnnounced: stored.is_expiry_announced,
  };
}
