import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { EventType } from '@gerbang/present';
import { PlanEventSchema, PlanInterval, type PlanSchema, PlanStatus } from '@gerbang/proto/gerbang/cards/v1/plans';
import type { NewEvent } from '@gerbang/store';
import type { toChallenge } from '../payment/message.ts';
import type { Interval } from './calendar.ts';
import { nextDueOf } from './plan.ts';
import { hasEnded, type PlanOrder, type PlanPublished, type PlanState, type PlanStatus as Status } from './state.ts';

const STATUSES: Readonly<Record<Status, PlanStatus>> = {
  pending: PlanStatus.PENDING,
  active: PlanStatus.ACTIVE,
  paused: PlanStatus.PAUSED,
  past_due: PlanStatus.PAST_DUE,
  cancelled: PlanStatus.CANCELLED,
  completed: PlanStatus.COMPLETED,
};

const INTERVALS: Readonly<Record<Interval, PlanInterval>> = {
  day: PlanInterval.DAY,
  week: PlanInterval.WEEK,
  month: PlanInterval.MONTH,
};

type Shown = { order: PlanOrder; state: PlanState };

/** `challenge`: where the customer of its open charge is authenticated. */
export function toPlanMessage(
  { order, state }: Shown,
  challenge: ReturnType<typeof toChallenge> = {},
): MessageInitShape<typeof PlanSchema> {
  const nextMs = hasEnded(state) || state.status === 'paused' ? undefined : nextDueOf(order, state);
  return {
    planId: order.id,
    merchantId: order.merchantId,
    accountId: order.accountId,
    name: order.name,
    status: STATUSES[state.status],
    amountSen: order.amountSen,
    interval: INTERVALS[order.calendar.interval],
    intervalCount: order.calendar.count,
    totalCycles: order.totalCycles ?? 0,
    paidCycles: state.paidCycles,
    startAtMs: BigInt(order.calendar.startAtMs),
    ...(nextMs !== undefined && { nextChargeAtMs: BigInt(nextMs) }),
    maskedCard: state.card.maskedCard,
    brand: state.card.brand,
    cardHolderName: state.card.holderName,
    cardExpiry: state.card.expiry,
    customer: order.customer,
    redirectUrl: order.redirectUrl,
    ...challenge,
    createdAtMs: BigInt(order.createdAtMs),
    ...(state.ended && { endedAtMs: BigInt(state.ended.atMs), endedReason: state.ended.reason }),
  };
}

export function toPlanEvent(shown: Shown, type: PlanPublished, atMs: number): NewEvent<EventType<'cards'>> {
  const message = create(PlanEventSchema, { plan: toPlanMessage(shown) });
  return { type, schema: 1, payload: toBinary(PlanEventSchema, message), atMs };
}

/** The stored status behind a filter; undefined for all. */
export function storedStatusOf(status: PlanStatus): Status | undefined {
  const found = Object.entries(STATUSES).find(([, known]) => known === status);
  return found && isStatus(found[0]) ? found[0] : undefined;
}

function isStatus(word: string): word is Status {
  return Object.hasOwn(STATUSES, word);
}

/** Undefined: it is no interval. */
export function intervalOf(interval: PlanInterval): Interval | undefined {
  switch (interval) {
    case PlanInterval.DAY:
      return 'day';
    case PlanInterval.WEEK:
      return 'week';
    case PlanInterval.MONTH:
      return 'month';
    case PlanInterval.UNSPECIFIED:
      return undefined;
    default:
      return interval satisfies never;
  }
}
