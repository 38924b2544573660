import { eventually } from '@gerbang/testkit';
import { z } from 'zod';
import { call, type Demo } from '../support/merchant-client.ts';
import type { Recorder } from './recorder.ts';

const CARD = { card_number: '4411111111111118', card_expiry: '12/39', card_cvv: '123', card_holder_name: 'BUDI SANTOSO' };
const ORDER = {
  ...CARD,
  installment: 1,
  installment_month: 1,
  amount: { value: '250000.00', currency: 'IDR' },
  customer: { name: 'Budi Santoso', email: 'budi@example.com', phone: '081234567890' },
  merchant_reff_no: 'INV-1042',
};
/** Longer than a payment waits for its capture. */
const CAPTURED_MS = 40_000;

/** Pays with and without 3DS, voids and refunds, with the webhook of cards. */
export async function cards(recorder: Recorder, account: string, demo: Demo): Promise<void> {
  const { call: use, refused } = recorder;
  const path = { account_id: account };
  const paid = await use('payByCard', { path, body: ORDER });
  const of = { account_id: account, id: String(paid.id) };
  await use('showCardPayment', { path: of });
  await call('POST', `${demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms: CAPTURED_MS }));
  await eventually('a card payment is captured', async () => (await use('showCardPayment', { path: of })).captured_at !== null);
  await chargebacks(recorder, { account, payment: String(paid.id), demo });
  await use('cancelCardPayment', { path: of });
  await refused('payByCard', { path, body: { ...ORDER, card_cvv: '12' } });
  await refused('payByCard', { path, body: { ...ORDER, card_number: '4472429869996670' } });
  const unpaid = await use('payByCard', { path, body: { ...ORDER, card_number: '4811111111111114' } });
  await refused('cancelCardPayment', { path: { account_id: account, id: String(unpaid.id) } });
}

/** The card holder disputes a payment, and withdraws it; lists and shows what has become of it. */
async function chargebacks(
  { call: use, refused }: Recorder,
  { account, payment, demo }: { account: string; payment: string; demo: Demo },
): Promise<void> {
  const path = { account_id: account };
  const url = `${demo.simulator_url}/sandbox/card/${payment}/chargeback`;
  const opened = await call(
    'POST',
    url,
    JSON.stringify({ amount: 100_000, reason: 'Merchandise not received', reason_code: '13.1' }),
  );
  const { case_id } = z.object({ case_id: z.string() }).parse(opened.json);
  const list = () => use('listCardChargebacks', { path, query: '?limit=2' });
  const idOf = async () => pageOfChargebacks.parse(await list()).items.at(0)?.id;
  const id = await eventually('the chargeback is listed', async () => (await idOf()) ?? false);
  await call('POST', `${url}/withdraw`, JSON.stringify({ case_id }));
  const of = { account_id: account, id: String(id) };
  await eventually('the chargeback is won', async () => (await use('showCardChargeback', { path: of })).status === 'won');
  await refused('listCardChargebacks', { path, query: '?status=maybe' });
}

const pageOfChargebacks = z.object({ items: z.array(z.object({ id: z.string() })) });

const DAY_MS = 86_400_000;
const PLAN = {
  ...CARD,
  name: 'Gym',
  amount: { value: '99000.00', currency: 'IDR' },
  interval: 'month',
  interval_count: 1,
  customer: ORDER.customer,
};

/** Begins a subscription, pauses and resumes it, replaces its card and cancels it. */
export async function subscriptions({ call: use, refused }: Recorder, account: string, demo: Demo): Promise<void> {
  const path = { account_id: account };
  const advance = (ms: number) => call('POST', `${demo.simulator_url}/sandbox/clock/advance`, JSON.stringify({ ms }));
  const plan = await use('createPlan', { path, body: PLAN });
  const of = { account_id: account, plan_id: String(plan.plan_id) };
  await eventually('a plan is active', async () => (await use('showPlan', { path: of })).status === 'active');
  await use('listPlans', { path, query: '?limit=2' });
  await use('listPlanCycles', { path: of });
  await use('pausePlan', { path: of });
  await refused('pausePlan', { path: of });
  await use('resumePlan', { path: of });
  await refused('resumePlan', { path: of });
  await use('replacePlanCard', { path: of, body: { ...CARD, card_expiry: '01/40' } });
  await refused('replacePlanCard', { path: of, body: { ...CARD, card_cvv: '12' } });
  await use('cancelPlan', { path: of });
  await refused('cancelPlan', { path: of });
  // The webhooks of plans that end by themselves, fail, or have a card that expires.
  const [year, month] = new Date().toISOString().slice(2, 7).split('-');
  await use('createPlan', { path, body: { ...PLAN, card_expiry: `${month}/${year}` } });
  await use('createPlan', { path, body: { ...PLAN, total_cycles: 1 } });
  const failing = await use('createPlan', { path, body: { ...PLAN, interval: 'day' } });
  const ofFailing = { account_id: account, plan_id: String(failing.plan_id) };
  await use('replacePlanCard', { path: ofFailing, body: { ...CARD, card_number: '4472429869996670' } });
  await advance(DAY_MS);
  await eventually('a plan is past due', async () => (await use('showPlan', { path: ofFailing })).status === 'past_due');
  await use('replacePlanCard', { path: ofFailing, body: CARD });
  await refused('createPlan', { path, body: { ...PLAN, interval: 'year' } });
  await refused('createPlan', { path, body: { ...PLAN, card_number: '4472429869996670' } });
}
