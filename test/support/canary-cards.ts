import { CARD_CANARIES, CVV_CANARY } from '@gerbang/testkit';
import type { CanaryRequest } from './canary-requests.ts';
import { newReference } from './merchant-client.ts';

/** Canaries that are digits only, as a card is entered. */
const [VISA = '', AMEX = ''] = CARD_CANARIES.filter((canary) => /^[0-9]{15,16}$/.test(canary));
const CARD = { card_number: VISA, card_expiry: '12/39', card_cvv: CVV_CANARY, card_holder_name: 'BUDI SANTOSO' };
const CUSTOMER = { name: 'Budi', email: 'budi@example.com', phone: '081234567890' };
const PAYMENT = { ...CARD, amount: { value: '15000.00', currency: 'IDR' }, customer: CUSTOMER };
const PLAN = { ...PAYMENT, name: 'Gym', interval: 'month', interval_count: 1 };

const post = (path: string, body: unknown, headers: Record<string, string> = {}): CanaryRequest => ({
  method: 'POST',
  path,
  toBiller: false,
  body,
  headers,
});

export function newPlan(account: string): CanaryRequest {
  return post(`/api/v2.0/recurring/${account}/plans`, PLAN, { 'idempotency-key': newReference('canary') });
}

/** Another card for a plan. */
export function newCard(account: string, planId: string): CanaryRequest {
  const card = { ...CARD, card_number: AMEX, card_cvv: `${CVV_CANARY}1` };
  return { ...post(`/api/v2.0/recurring/${account}/plans/${planId}/card`, card), method: 'PUT' };
}

/** A payment that is taken, and kept under an Idempotency-Key. */
export function newPayment(account: string): CanaryRequest {
  return post(`/api/v2.0/card/${account}/payment`, PAYMENT, { 'idempotency-key': newReference('canary') });
}

/** Payments that are not: fields that are wrong beside the card, texts that are no JSON, JSON that is no payment. */
export function wrongPayments(account: string): CanaryRequest[] {
  const { path } = newPayment(account);
  const text = JSON.stringify(PAYMENT);
  return [
    { ...PAYMENT, card_expiry: '01/20' },
    { ...PAYMENT, card_cvv: `${CVV_CANARY}12` },
    { ...PAYMENT, card_number: Number(VISA) },
    { ...PAYMENT, card_number: [VISA] },
    { ...PAYMENT, card_holder_name: VISA },
    { ...PAYMENT, customer: { ...CUSTOMER, name: VISA, email: `${VISA}@example.com` } },
    { ...PAYMENT, amount: { value: VISA, currency: CVV_CANARY } },
    { ...PAYMENT, installment: 2, installment_month: Number(CVV_CANARY) },
    [PAYMENT],
    text,
  ]
    .map((body) => post(path, body))
    .concat(
      [text.slice(0, -1), `${text}}`, `${text},`, text.replaceAll('"', "'"), `card_number=${VISA}&card_cvv=${CVV_CANARY}`].map(
        (rawBody) => ({ method: 'POST', path, toBiller: false, rawBody }),
      ),
    );
}
