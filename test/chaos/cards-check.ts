import { setTimeout as sleep } from 'node:timers/promises';
import type { CardTransaction, Plan, PlanCycle } from '../support/api.d.ts';
import { isRecord, sen } from '../support/merchant-client.ts';
import { giveUp, idOf, untilAnswered } from './cards-load.ts';
import { cyclesOf, findPayment, findPlan, movePlan, type Orders, type PaymentOrder } from './cards-order.ts';
import { inParallel } from './in-parallel.ts';
import type { World } from './world.ts';

const FINAL_WITHIN_MS = 300_000;
/** By how much business time goes on between two questions: first little, since an acquirer that was silent knows after 5 s. */
const ADVANCES_MS = [1, 2, 5, 10, 20, 30, 60].map((seconds) => seconds * 1_000);
/** Then by so much, until the plans have ended. */
const LATER_MS = 6 * 3_600_000;

/** How everything has ended: each payment, each plan with its cycles, and the payments that have paid them. */
export type Finals = {
  payments: Map<PaymentOrder, CardTransaction>;
  plans: Map<string, { plan: Plan; cycles: PlanCycle[]; charges: CardTransaction[] }>;
};

/**
 * Lets business time go on until every payment, cancel and plan has its end and is settled; enters another card where a plan waits for
 * one. Throws with what is still open after five minutes.
 */
export async function settleCards(world: World, orders: Orders): Promise<Finals> {
  const finals: Finals = { payments: new Map(), plans: new Map() };
  const endMs = Date.now() + FINAL_WITHIN_MS;
  for (let round = 0; ; round++) {
    const open: unknown[] = [];
    await inParallel([...orders.payments.keys()], async (order) => {
      if (finals.payments.has(order)) return;
      await giveUp(world, orders, order);
      const found = await findPayment(world, round % 2 === 0 ? 0 : 1, idOf(orders, order));
      if (found !== undefined && isFinal(order, found)) finals.payments.set(order, found);
      else open.push(found ?? order.reference);
    });
    await inParallel(orders.plans, async (order) => {
      if (finals.plans.has(order.planId)) return;
      const plan = await findPlan(world, round % 2 === 0 ? 0 : 1, order.planId);
      if (plan?.status === 'past_due' || plan?.status === 'paused') {
        const move = plan.status === 'paused' ? 'resume' : 'replace-card';
        await untilAnswered(`${move} of ${order.planId}`, 0, (edge) => movePlan(world, edge, order, move));
      }
      const ended = plan && (await endOf(world, plan));
      if (ended !== undefined) finals.plans.set(order.planId, ended);
      else open.push(plan ?? order.reference);
    });
    if (open.length === 0) return finals;
    if (Date.now() > endMs) throw new Error(`not final: ${JSON.stringify(open.slice(0, 5))}`);
    await advance(world, ADVANCES_MS[round] ?? LATER_MS);
  }
}

function isFinal({ cancel, cancelled }: PaymentOrder, { status, has_settle: hasSettled }: CardTransaction): boolean {
  if (status === 'failed' || status === 'cancelled' || status === 'refunded') return true;
  return status === 'success' && hasSettled && (cancel === 'never' || cancelled === 'refused');
}

/** A plan that has ended, once every charge of it has. */
async function endOf(world: World, plan: Plan) {
  if (plan.status !== 'completed' && plan.status !== 'cancelled') return undefined;
  const cycles = await cyclesOf(world, plan.plan_id);
  if (cycles.some(({ status }) => status === 'processing' || status === 'retrying')) return undefined;
  const charges: CardTransaction[] = [];
  for (const { status, card_transaction_id: id } of cycles) {
    const charge = id === null ? undefined : await findPayment(world, 0, id);
    // A charge that the service has given up before it was sent is no payment.
    if (charge === undefined && status === 'failed') continue;
    if (charge === undefined || charge.status === 'pending' || charge.status === 'processing') return undefined;
    if (charge.status === 'success' && !charge.has_settle) return undefined;
    charges.push(charge);
  }
  return { plan, cycles, charges };
}

/** Business time goes on, and what is due then has time to happen. */
export async function advance(world: World, ms: number): Promise<void> {
  const { http, text } = await world.control('POST', 'clock/advance', { ms });
  if (http !== 200) throw new Error(`the clock was not advanced: ${http} ${text}`);
  await sleep(500);
}

/** Every payment of a run that there is an end of: those of the merchant and those of its plans. */
export function allPayments({ payments, plans }: Finals): CardTransaction[] {
  return [...payments.values(), ...[...plans.values()].flatMap(({ charges }) => charges)];
}

/**
 * Compares payments with their orders and with the acquirer's books, item by item: what we call paid was taken once and with this
 * amount, what we call refunded was given back once, what we call cancelled was voided, and of what has failed nothing is held or
 * taken. Gives the differences in words.
 */
export async function compareCards(world: World, finals: Finals): Promise<string[]> {
  const books = await readBooks(world);
  const differences: string[] = [];
  const differs = (what: string, here: unknown, there: unknown) => {
    if (String(here) !== String(there)) differences.push(`${what} is ${here}, not ${there}`);
  };
  for (const [order, payment] of finals.payments) {
    differs(`the amount of ${payment.id}`, sen(payment.amount), BigInt(order.amount) * 100n);
    const ends = { void: 'cancelled', refund: 'refunded', refused: payment.status };
    if (order.cancelled !== undefined)
      differs(`${payment.id}, cancelled (${order.cancelled}),`, payment.status, ends[order.cancelled]);
  }
  const expected = new Set<string>();
  for (const payment of allPayments(finals)) {
    expected.add(payment.id);
    const { in: taken = [], out: back = [] } = books.get(payment.id) ?? {};
    const amount = sen(payment.amount);
    const wasTaken = payment.status === 'success' || payment.status === 'refunded';
    const isHeld = taken.some((item) => item.endsWith('pending') || item.endsWith('success'));
    if (wasTaken) differs(`${payment.id} (${payment.status}) in the books`, taken, [`${amount} success`]);
    else if (payment.status === 'cancelled') differs(`${payment.id} (cancelled) in the books`, taken, [`${amount} canceled`]);
    else if (isHeld || taken.length > 1) differences.push(`${payment.id} (${payment.status}) is in the books: ${taken}`);
    differs(`the refund of ${payment.id}`, back, payment.status === 'refunded' ? [`${amount} success`] : []);
    if (wasTaken) differs(`fee and net amount of ${payment.id}`, feeOf(payment) + netOf(payment), amount);
  }
  // An attempt of a plan that was tried again is no cycle's newest payment; nothing is held or taken of it.
  for (const [id, { in: taken, out: back }] of books) {
    const isOpen = back.length > 0 || taken.some((item) => item.endsWith('pending') || item.endsWith('success'));
    if (!expected.has(id) && isOpen) differences.push(`${id} is in the books and was never ordered: ${taken} ${back}`);
  }
  for (const { plan, cycles } of finals.plans.values()) {
    const paid = cycles.filter(({ status }) => status === 'success').length;
    differs(`the paid cycles of ${plan.plan_id}`, plan.paid_cycles, paid);
    if (plan.status === 'completed') differs(`what is left of ${plan.plan_id}`, cycles.length <= 2, true);
  }
  return differences;
}

/** What the acquirer has taken (`in`) and given back (`out`) by our ids: amounts in sen with their status. */
async function readBooks(world: World): Promise<Map<string, Record<'in' | 'out', string[]>>> {
  const { json, text } = await world.control('GET', 'rails/card/books');
  if (!Array.isArray(json.items)) throw new Error(`no books: ${text.slice(0, 200)}`);
  const books = new Map<string, Record<'in' | 'out', string[]>>();
  for (const item of json.items.filter(isRecord)) {
    const id = String(item.transaction_id);
    const known = books.get(id) ?? { in: [], out: [] };
    known[item.direction === 'in' ? 'in' : 'out'].push(`${sen(item.amount)} ${item.status}`);
    books.set(id, known);
  }
  return books;
}

function feeOf({ fee }: CardTransaction): bigint {
  return fee === null ? 0n : sen(fee);
}

function netOf({ net_amount: net }: CardTransaction): bigint {
  return net === null ? 0n : sen(net);
}

/** What all payments have brought, sen: a refund gives back the gross amount, and its fee is not returned. */
export function broughtByCards(finals: Finals): bigint {
  let sum = 0n;
  for (const payment of allPayments(finals)) {
    if (payment.status === 'success') sum += netOf(payment);
    if (payment.status === 'refunded') sum -= feeOf(payment);
  }
  return sum;
}
