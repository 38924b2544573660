import { setTimeout as sleep } from 'node:timers/promises';
import type { CardTransaction, Plan } from '../support/api.d.ts';
import { isRecord } from '../support/merchant-client.ts';
import {
  cancel,
  createPlan,
  enterOtp,
  findPayment,
  findPlan,
  movePlan,
  newPayment,
  newPlan,
  type Orders,
  type PaymentOrder,
  type PlanOrder,
  pay,
} from './cards-order.ts';
import type { Said } from './charges-order.ts';
import type { World } from './world.ts';

/** A merchant tries a request for so long. */
const PATIENCE_MS = 90_000;
const RETRY_MS = 250;
const PAUSE_MS = 80;
const OTP_ATTEMPTS_MAX = 3;
/** One plan for so many payments. */
const PAYMENTS_PER_PLAN = 4;
/** So many of a caller's newest payments are still watched, to be cancelled. */
const WATCHED = 6;

/** Merchants that charge cards, cancel payments and begin plans, by both edges, until `end`. */
export type CardsLoad = {
  readonly orders: Orders;
  answered(): number;
  /** No new orders; resolves when each one that was made is answered. Throws where one was refused, or not answered in time. */
  end(): Promise<void>;
};

export function startCardsLoad(world: World, callers: number): CardsLoad {
  const orders: Orders = { payments: new Map(), plans: [] };
  let ended = false;
  let count = 0;
  const caller = async () => {
    const mine: PaymentOrder[] = [];
    while (!ended) {
      const index = count++;
      const order = newPayment(index);
      orders.payments.set(order, await placePayment(world, order));
      mine.push(order);
      await authenticate(order.otp, () => findPayment(world, 0, idOf(orders, order)));
      if (index % PAYMENTS_PER_PLAN === 0) orders.plans.push(await beginPlan(world, newPlan(index / PAYMENTS_PER_PLAN)));
      for (const one of mine.slice(-WATCHED)) await giveUp(world, orders, one);
      await sleep(PAUSE_MS);
    }
  };
  const work = Promise.all(Array.from({ length: callers }, caller));
  // Thrown by `end`.
  work.catch(() => {});
  return {
    orders,
    answered: () => orders.payments.size,
    async end() {
      ended = true;
      await work;
    },
  };
}

/** Cancels a payment that its merchant wants cancelled, once that can be had. */
export async function giveUp(world: World, orders: Orders, order: PaymentOrder): Promise<void> {
  if (order.cancel === 'never' || order.cancelled !== undefined) return;
  const id = idOf(orders, order);
  const found = await findPayment(world, 0, id);
  if (found?.status !== 'success' || !isTime(order, found)) return;
  const ask = (first: 0 | 1) => untilAnswered(`the cancel of ${id}`, first, (edge) => cancel(world, edge, id));
  const answers = order.isTwin ? await Promise.all([ask(0), ask(1)]) : [await ask(0)];
  const types = new Set(answers.flatMap(({ data }) => data?.cancel_type ?? []));
  if (types.size > 1) throw new Error(`${id}: cancelled twice, as ${[...types].join(' and ')}`);
  const [type] = types;
  order.cancelled = type ?? 'refused';
}

function isTime({ cancel: when }: PaymentOrder, { captured_at: capturedAt, has_settle: hasSettled }: CardTransaction): boolean {
  return when === 'early' || (when === 'captured' && capturedAt !== null) || hasSettled;
}

export function idOf({ payments }: Orders, order: PaymentOrder): string {
  const id = payments.get(order);
  if (id === undefined) throw new Error(`${order.reference} was not answered`);
  return id;
}

/** Pays as a careful merchant does; gives the payment, which is the same at both edges. A declined one is a payment, too. */
async function placePayment(world: World, order: PaymentOrder): Promise<string> {
  const place = async (first: 0 | 1) => {
    const answer = await untilAnswered(order.reference, first, (edge) => pay(world, edge, order));
    return answer.data?.id ?? idInError(answer, 'id', order.reference);
  };
  if (!order.isTwin) return place(0);
  const [one, other] = await Promise.all([place(0), place(1)]);
  if (one !== other) throw new Error(`${order.reference}: sent twice, it has become ${one} and ${other}`);
  return one;
}

async function beginPlan(world: World, order: PlanOrder): Promise<PlanOrder> {
  const answer = await untilAnswered(order.reference, 0, (edge) => createPlan(world, edge, order));
  const begun = { ...order, planId: answer.data?.plan_id ?? idInError(answer, 'plan_id', order.reference) };
  await authenticate(order.otp, () => findPlan(world, 0, begun.planId));
  // What the plan does not allow, because it has ended or is not active yet, is answered too.
  for (const move of order.moves)
    await untilAnswered(`${move} of ${begun.planId}`, 0, (edge) => movePlan(world, edge, begun, move));
  return begun;
}

/** The customer goes where the payment, or the first charge of the plan, sends them. */
async function authenticate(otp: PaymentOrder['otp'], find: () => Promise<CardTransaction | Plan | undefined>): Promise<void> {
  for (let attempt = 0; attempt < OTP_ATTEMPTS_MAX; attempt++) {
    const found = await find();
    if (found !== undefined && (found.status !== 'pending' || found.payment_url === null)) return;
    if (typeof found?.payment_url === 'string') await enterOtp(found.payment_url, otp);
    else await sleep(RETRY_MS);
  }
}

/** The same request again, at one edge and the other, until there is an answer. 409: the first one is still at work. */
export async function untilAnswered<Data>(
  what: string,
  first: 0 | 1,
  ask: (edge: 0 | 1) => Promise<Said<Data>>,
): Promise<NonNullable<Said<Data>>> {
  const endMs = Date.now() + PATIENCE_MS;
  for (let attempt: number = first; Date.now() < endMs; attempt++) {
    const answer = await ask(attempt % 2 === 0 ? 0 : 1);
    if (answer !== undefined && answer.http !== 409) {
      if (answer.http !== 200 && answer.http !== 400) throw new Error(`${what} was refused: ${JSON.stringify(answer)}`);
      return answer;
    }
    await sleep(RETRY_MS);
  }
  throw new Error(`${what} was not answered`);
}

/** What was declined is named in the error. */
function idInError({ error }: { error: unknown }, name: 'id' | 'plan_id', what: string): string {
  const data = isRecord(error) && isRecord(error.data) ? error.data : {};
  const id = data[name];
  if (typeof id !== 'string') throw new Error(`${what} was refused: ${JSON.stringify(error)}`);
  return id;
}
