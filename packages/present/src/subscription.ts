import { CARD_BRANDS, toMoney } from '@gerbang/core';
import {
  type Cycle,
  CycleStatus,
  PlanInterval as Interval,
  type Plan,
  PlanStatus as Status,
} from '@gerbang/proto/gerbang/cards/v1/plans';
import { z } from 'zod';
import { CardBrand, CardCustomer, maskedCard } from './card-transaction.ts';
import { htmlForm, presentForm } from './html-form.ts';
import { Money, Timestamp, Ulid } from './schemas.ts';
import { textOrNull, wordOf } from './text.ts';
import { iso, isoOrNull } from './time.ts';

export const PlanStatus = z.enum(['pending', 'active', 'paused', 'past_due', 'cancelled', 'completed']).meta({
  id: 'PlanStatus',
  description:
    'pending: its first charge has no outcome; past_due: a cycle has failed for good, and another card charges it; ' +
    'completed: its last cycle is over.',
});

export const PlanInterval = z.enum(['day', 'week', 'month']).meta({ id: 'PlanInterval' });

const END_REASONS = ['merchant', 'declined', 'not_authenticated', 'completed'] as const;

export const planSchema = z
  .strictObject({
    plan_id: Ulid,
    account_id: Ulid,
    name: z.string(),
    status: PlanStatus,
    amount: Money,
    interval: PlanInterval,
    interval_count: z.int().min(1),
    total_cycles: z.int().min(1).nullable().meta({ description: 'null: until it is cancelled.' }),
    paid_cycles: z.int().min(0),
    start_at: Timestamp.meta({ description: 'When its first cycle is due.' }),
    next_charge_at: Timestamp.nullable().meta({ description: 'null while a cycle is charged, and where none is to come.' }),
    masked_card: maskedCard,
    brand: CardBrand,
    card_holder_name: z.string(),
    card_expiry: z.string().meta({ description: 'MM/YY', examples: ['12/39'] }),
    customer: CardCustomer,
    redirect_url: z.string().nullable().meta({ description: 'Where the customer goes after 3DS.' }),
    action: z
      .literal('redirect')
      .nullable()
      .meta({ description: 'redirect: the customer has to go to payment_url, or by html_form.' }),
    payment_url: z.string().nullable().meta({ description: 'Where the issuer authenticates the customer (3DS).' }),
    html_form: htmlForm,
    created_at: Timestamp,
    ended_at: Timestamp.nullable().meta({ description: 'When it was cancelled or completed.' }),
    ended_reason: z.enum(END_REASONS).nullable().meta({
      description: 'declined: its first charge was; not_authenticated: its customer was not authenticated within 24 hours.',
    }),
  })
  .meta({ id: 'Plan', description: 'A subscription: a card that is charged by the calendar.' });

const CycleStatusWord = z.enum(['scheduled', 'processing', 'success', 'failed', 'retrying']).meta({
  id: 'CycleStatus',
  description: 'retrying: it has failed and is charged again at next_retry_at; failed: it is not, except with another card.',
});

export const cycleSchema = z
  .strictObject({
    plan_id: Ulid,
    cycle: z.int().min(1).meta({ description: 'From 1. The numbers of cycles that fell due in a pause are missing.' }),
    status: CycleStatusWord,
    amount: Money,
    due_at: Timestamp,
    card_transaction_id: z.string().nullable().meta({ description: 'The newest payment by card; null while scheduled.' }),
    attempts: z.int().min(0),
    next_retry_at: Timestamp.nullable(),
    failed_code: z.string().nullable(),
    failed_reason: z.string().nullable(),
    processed_at: Timestamp.nullable().meta({ description: 'When its outcome was known.' }),
  })
  .meta({ id: 'PlanCycle', description: 'One charge of a plan, with its retries.' });

export type PlanJson = z.output<typeof planSchema>;
export type CycleJson = z.output<typeof cycleSchema>;

/** A plan as the merchant's API shows it (contract §7): nothing of the card but its mask and expiry. */
export function presentPlan(plan: Plan): PlanJson {
  const { customer } = plan;
  return {
    plan_id: plan.planId,
    account_id: plan.accountId,
    name: plan.name,
    status: wordOf(PlanStatus.options, Status[plan.status].toLowerCase(), 'status of a plan'),
    amount: toMoney(plan.amountSen),
    interval: wordOf(PlanInterval.options, Interval[plan.interval].toLowerCase(), 'interval of a plan'),
    interval_count: plan.intervalCount,
    total_cycles: plan.totalCycles === 0 ? null : plan.totalCycles,
    paid_cycles: plan.paidCycles,
    start_at: iso(plan.startAtMs),
    next_charge_at: isoOrNull(plan.nextChargeAtMs),
    masked_card: plan.maskedCard,
    brand: wordOf(CARD_BRANDS, plan.brand, 'brand of cards'),
    card_holder_name: plan.cardHolderName,
    card_expiry: plan.cardExpiry,
    customer: {
      name: customer?.name ?? '',
      email: textOrNull(customer?.email ?? ''),
      phone: textOrNull(customer?.phone ?? ''),
    },
    redirect_url: textOrNull(plan.redirectUrl),
    action: plan.paymentUrl === '' && plan.paymentForm === undefined ? null : 'redirect',
    payment_url: textOrNull(plan.paymentUrl),
    html_form: presentForm(plan.paymentForm),
    created_at: iso(plan.createdAtMs),
    ended_at: isoOrNull(plan.endedAtMs),
    ended_reason: plan.endedReason === '' ? null : wordOf(END_REASONS, plan.endedReason, 'end of a plan'),
  };
}

/** A cycle of a plan as the merchant's API shows it (contract §7). */
export function presentCycle(cycle: Cycle): CycleJson {
  return {
    plan_id: cycle.planId,
    cycle: cycle.cycle,
    status: wordOf(CycleStatusWord.options, CycleStatus[cycle.status].toLowerCase(), 'status of a cycle'),
    amount: toMoney(cycle.amountSen),
    due_at: iso(cycle.dueAtMs),
    card_transaction_id: textOrNull(cycle.cardTransactionId),
    attempts: cycle.attempts,
    next_retry_at: isoOrNull(cycle.nextRetryAtMs),
    failed_code: textOrNull(cycle.failedCode),
    failed_reason: textOrNull(cycle.failedReason),
    processed_at: isoOrNull(cycle.processedAtMs),
  };
}

const INTERVALS = { day: Interval.DAY, week: Interval.WEEK, month: Interval.MONTH } as const;

/** The interval behind a word. */
export function planIntervalOf(word: z.output<typeof PlanInterval>): Interval {
  return INTERVALS[word];
}

const STATUSES = {
  pending: Status.PENDING,
  active: Status.ACTIVE,
  paused: Status.PAUSED,
  past_due: Status.PAST_DUE,
  cancelled: Status.CANCELLED,
  completed: Status.COMPLETED,
} as const;

/** The status behind a word, for list filters. */
export function planStatusOf(word: z.output<typeof PlanStatus>): Status {
  return STATUSES[word];
}
