import type { CardTransaction, Plan, PlanCycle } from '../support/api.d.ts';
import { bindAccount } from '../support/bind-account.ts';
import { idr, newReference } from '../support/merchant-client.ts';
import { said } from './charges-order.ts';
import type { World } from './world.ts';

/** The sandbox's cards: without 3DS, with it, declined with and without it, and one whose issuer thinks for 5 s. */
export const CARDS = {
  plain: '4411111111111118',
  challenged: '4811111111111114',
  challengedDeclined: '4911111111111113',
  declined: '4472429869996670',
  slow: '4024007176265022',
} as const;
const PAID_WITH = ['plain', 'challenged', 'plain', 'challengedDeclined', 'slow', 'challenged', 'plain', 'declined'] as const;

/** What the customer does with the OTP. */
const OTPS = ['right', 'right', 'right', 'wrong', 'never'] as const;
/** When the merchant cancels: at once, once it is captured, once it has settled. */
const CANCELS = ['never', 'early', 'captured', 'never', 'settled', 'early', 'captured'] as const;

export type PaymentOrder = {
  reference: string;
  /** Rupiah; no two are alike. */
  amount: number;
  card: keyof typeof CARDS;
  otp: (typeof OTPS)[number];
  cancel: (typeof CANCELS)[number];
  /** The request is sent to both edges at the same time. */
  isTwin: boolean;
  /** How the cancel was answered. */
  cancelled: 'void' | 'refund' | 'refused' | undefined;
};

export type PlanOrder = {
  reference: string;
  amount: number;
  card: keyof typeof CARDS;
  otp: (typeof OTPS)[number];
  /** What the merchant does with it once it is active. */
  moves: readonly ('pause' | 'resume' | 'cancel' | 'replace-card')[];
  planId: string;
};

/** The payments and plans of a run, each with what it was answered as. */
export type Orders = { payments: Map<PaymentOrder, string>; plans: PlanOrder[] };

const HOLDER = { card_expiry: '12/39', card_cvv: '123', card_holder_name: 'BUDI SANTOSO' };
const CUSTOMER = { name: 'Budi Santoso', email: 'budi@example.com', phone: '081234567890' };

export function newPayment(index: number): PaymentOrder {
  return {
    reference: newReference('card'),
    amount: 20_000 + index,
    card: PAID_WITH[index % PAID_WITH.length] ?? 'plain',
    otp: OTPS[Math.floor(index / 2) % OTPS.length] ?? 'right',
    cancel: CANCELS[index % CANCELS.length] ?? 'never',
    isTwin: index % 5 === 0,
    cancelled: undefined,
  };
}

const MOVES = [[], ['pause', 'resume'], ['replace-card'], ['cancel']] as const;

export function newPlan(index: number): PlanOrder {
  return {
    reference: newReference('plan'),
    amount: 5_000_000 + index,
    card: PAID_WITH[index % PAID_WITH.length] ?? 'plain',
    otp: OTPS[Math.floor(index / 2) % OTPS.length] ?? 'right',
    moves: MOVES[index % MOVES.length] ?? [],
    planId: '',
  };
}

/** One attempt to pay; the Idempotency-Key is the order's reference. */
export function pay(world: World, edge: 0 | 1, { reference, amount, card }: PaymentOrder) {
  const params = { path: { account_id: world.source }, header: { 'Idempotency-Key': reference } };
  const body = { ...HOLDER, card_number: CARDS[card], amount: idr(amount), customer: CUSTOMER, merchant_reff_no: reference };
  return said(world.merchants[edge].api.POST('/api/v2.0/card/{account_id}/payment', { params, body }));
}

export function cancel(world: World, edge: 0 | 1, id: string) {
  const params = { path: { account_id: world.source, id } };
  return said(world.merchants[edge].api.POST('/api/v2.0/card/{account_id}/cancel/{id}', { params }));
}

/** The payment as its merchant sees it; undefined where there is no answer. */
export async function findPayment(world: World, edge: 0 | 1, id: string): Promise<CardTransaction | undefined> {
  const params = { path: { account_id: world.source, id } };
  return (await said(world.merchants[edge].api.GET('/api/v2.0/card/{account_id}/inquiry-status/{id}', { params })))?.data;
}

/** A plan of two cycles, a day apart. */
export function createPlan(world: World, edge: 0 | 1, { reference, amount, card }: PlanOrder) {
  const params = { path: { account_id: world.source }, header: { 'Idempotency-Key': reference } };
  const calendar = { interval: 'day' as const, interval_count: 1, total_cycles: 2 };
  const body = { ...HOLDER, ...calendar, card_number: CARDS[card], name: reference, amount: idr(amount), customer: CUSTOMER };
  return said(world.merchants[edge].api.POST('/api/v2.0/recurring/{account_id}/plans', { params, body }));
}

export function movePlan(world: World, edge: 0 | 1, { planId }: PlanOrder, move: PlanOrder['moves'][number]) {
  const { api } = world.merchants[edge];
  const params = { path: { account_id: world.source, plan_id: planId } };
  const body = { ...HOLDER, card_number: CARDS.plain };
  if (move === 'replace-card') return said(api.PUT('/api/v2.0/recurring/{account_id}/plans/{plan_id}/card', { params, body }));
  return said(api.POST(`/api/v2.0/recurring/{account_id}/plans/{plan_id}/${move}`, { params }));
}

export async function findPlan(world: World, edge: 0 | 1, planId: string): Promise<Plan | undefined> {
  const params = { path: { account_id: world.source, plan_id: planId } };
  return (await said(world.merchants[edge].api.GET('/api/v2.0/recurring/{account_id}/plans/{plan_id}', { params })))?.data;
}

/** Every cycle of a plan that was charged. */
export async function cyclesOf(world: World, planId: string): Promise<PlanCycle[]> {
  const params = { path: { account_id: world.source, plan_id: planId } };
  const found = await said(world.merchants[0].api.GET('/api/v2.0/recurring/{account_id}/plans/{plan_id}/cycles', { params }));
  if (found?.data === undefined) throw new Error(`no cycles of ${planId}: ${JSON.stringify(found)}`);
  return found.data.items.filter(({ status }) => status !== 'scheduled');
}

/** The customer on the issuer's page. What comes of it, the payment says; a page that is away is opened again by the caller. */
export async function enterOtp(url: string, otp: PaymentOrder['otp']): Promise<void> {
  if (otp === 'never') return;
  try {
    await bindAccount(url, { otp: otp === 'right' ? '123456' : '000000' });
  } catch (error) {
    const isAway = error instanceof TypeError || (error instanceof Error && error.message.endsWith('do not end'));
    if (!isAway) throw error;
  }
}
