import { fromBinary } from '@bufbuild/protobuf';
import { CycleEventSchema, PlanEventSchema } from '@gerbang/proto/gerbang/cards/v1/plans';
import { notification } from './money-in-webhook.ts';
import { cycleSchema, planSchema, presentCycle, presentPlan } from './subscription.ts';
import { carried, type DomainEvent } from './webhook-event.ts';

const plan = (event: DomainEvent) => presentPlan(carried(event, fromBinary(PlanEventSchema, event.payload).plan));
const cycle = (event: DomainEvent) => presentCycle(carried(event, fromBinary(CycleEventSchema, event.payload).cycle));

/** What happens to plans and their charges (contract §10). */
export const subscriptionWebhooks = {
  activated: notification({
    event: 'subscription.activated',
    id: 'SubscriptionActivatedWebhook',
    description: 'The first charge of a plan has succeeded.',
    data: planSchema,
  })(plan),
  chargeSucceeded: notification({
    event: 'subscription.charge.succeeded',
    id: 'SubscriptionChargeSucceededWebhook',
    description: 'A cycle of a plan was charged.',
    data: cycleSchema,
  })(cycle),
  chargeFailed: notification({
    event: 'subscription.charge.failed',
    id: 'SubscriptionChargeFailedWebhook',
    description: 'A charge of a cycle has failed; where it is tried again, next_retry_at says when.',
    data: cycleSchema,
  })(cycle),
  pastDue: notification({
    event: 'subscription.past_due',
    id: 'SubscriptionPastDueWebhook',
    description: 'All charges of a cycle have failed: the plan waits for another card.',
    data: planSchema,
  })(plan),
  cancelled: notification({
    event: 'subscription.cancelled',
    id: 'SubscriptionCancelledWebhook',
    description: 'A plan was cancelled: by the merchant, or because its first charge was declined or not authenticated.',
    data: planSchema,
  })(plan),
  completed: notification({
    event: 'subscription.completed',
    id: 'SubscriptionCompletedWebhook',
    description: 'The last cycle of a plan is over.',
    data: planSchema,
  })(plan),
  cardExpiring: notification({
    event: 'subscription.card_expiring',
    id: 'SubscriptionCardExpiringWebhook',
    description: 'The card of a plan expires within 30 days.',
    data: planSchema,
  })(plan),
};
