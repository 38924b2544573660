import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { newUlid, RefusalError, refuseField } from '@gerbang/core';
import { type CreatePlanRequest, type CreatePlanResponse, CreatePlanResponseSchema } from '@gerbang/proto/gerbang/cards/v1/plans';
import type { CardData } from '@gerbang/rails/card';
import { createOnce } from '@gerbang/store';
import type { Context } from '../../context.ts';
import { admitPayment } from '../../payment/place.ts';
import { advancePlan, once } from '../advance.ts';
import { confirmCard } from '../card-use.ts';
import { chargeByCustomer, openCycleOf } from '../charge.ts';
import type { StoredPlan } from '../document.ts';
import { intervalOf } from '../message.ts';
import { cardOf, planCard, shownPlan } from '../own-card.ts';
import type { PlanOrder } from '../state.ts';

/** How far a start may be past: the way of the request. */
const START_PAST_MS = 60_000;

/** Begins a plan. Refusals: those of the service's contract. */
export async function createPlan(context: Context, request: CreatePlanRequest) {
  const card = cardOf(request.card);
  const { answer, replayed } = await createOnce<CreatePlanResponse>(context.idempotencyKeys, request, {
    allocate: () => newUlid(context.clock.now()),
    async create(id) {
      const plan = await placePlan(context, orderOf(context, id, request), { card, request });
      return create(CreatePlanResponseSchema, await shownPlan(context, plan));
    },
    encode: (response) => toBinary(CreatePlanResponseSchema, response),
    decode: (bytes) => fromBinary(CreatePlanResponseSchema, bytes),
  });
  return { ...answer, replayed };
}

async function placePlan(
  context: Context,
  order: PlanOrder,
  { card, request }: { card: CardData; request: CreatePlanRequest },
): Promise<StoredPlan> {
  const { merchantId, accountId, amountSen, id } = order;
  const { callerAddress } = request;
  await admitPayment(context, { merchantId, accountId, amountSen, installmentMonths: 1 }, card);
  const token = await context.vault.keep(merchantId, card, id);
  const placed = await context.plans.insertOrFind(order, planCard(card, request.card, token));
  const plan = await confirmCard(context, placed, card);
  const { open } = plan.state;
  if (open === undefined) return plan;
  const charged = await once(context, id, async () => {
    await chargeByCustomer(context, plan, await openCycleOf(context, plan, open.cycle), { card, callerAddress });
    return advancePlan(context, plan);
  });
  return charged ?? plan;
}

function orderOf({ clock }: Context, id: string, request: CreatePlanRequest): PlanOrder {
  const createdAtMs = clock.now();
  const { merchantId, accountId, name, amountSen, intervalCount, totalCycles, redirectUrl } = request;
  const { name: customerName = '', email = '', phone = '' } = request.customer ?? {};
  const interval = intervalOf(request.interval);
  if (interval === undefined) throw new Error('a plan has come without its interval');
  const startAtMs = request.startAtMs === undefined ? createdAtMs : Number(request.startAtMs);
  if (startAtMs < createdAtMs - START_PAST_MS) throw new RefusalError(refuseField('start_at', 'is past'));
  return {
    id,
    merchantId,
    accountId,
    name,
    amountSen,
    calendar: { startAtMs, interval, count: intervalCount },
    totalCycles: totalCycles === 0 ? undefined : totalCycles,
    customer: { name: customerName, email, phone },
    redirectUrl,
    createdAtMs,
  };
}
