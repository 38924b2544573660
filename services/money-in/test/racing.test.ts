import { RefusalError } from '@gerbang/core';
import { dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { expect, test } from 'vitest';
import { onPaymentsDue } from '../src/payment/on-due.ts';
import { receive } from '../src/payment/receive.ts';
import { linkReference, PAYMENT_LINK, type PaymentLinkDetails } from '../src/payment-link/payment-link.ts';
import { onPaymentRequestsDue } from '../src/payment-request/on-due.ts';
import { newPaymentRequest } from '../src/payment-request/payment-request.ts';
import { choosePaymentMethod } from '../src/session/rpc/choose-payment-method.ts';
import { openPaymentLink } from '../src/session/rpc/open-payment-link.ts';
import { type Counts, clock, notification, useParts } from './parts-harness.ts';

const parts = useParts();

/** Replicas that work on the same thing count into one registry. */
async function replicas(number: number) {
  const counts: Counts = new Map();
  const ledger = newLedger();
  const contexts = Array.from({ length: number }, () => parts.newContext(ledger, dying(), { counts }));
  return { counts, contexts: await Promise.all(contexts) };
}

test('an expiry that several replicas write is counted once', async () => {
  const { counts, contexts } = await replicas(4);
  const va = await parts.newVirtualAccount();
  const { state, document } = va;
  const overdue = { ...va, state: { ...state, expiresAtMs: clock.now() - 1 }, document };
  await Promise.all(contexts.map((context) => onPaymentRequestsDue(context, [overdue])));
  expect(counts.get('expired:virtual-account')).toBe(1);
});

test('a payment that several replicas take further is counted once at each step', async () => {
  const { counts, contexts } = await replicas(4);
  const va = await parts.newVirtualAccount();
  const told = notification(va, 500n);
  await Promise.all(contexts.map((context) => receive(context, told)));
  const paid = await parts.payments().find(`va:bank:${va.order.publicId}`);
  await Promise.all(contexts.map((context) => onPaymentsDue(context, [paid ?? expect.fail('no payment')])));
  expect([counts.get('paid:virtual-account'), counts.get('settled:virtual-account')]).toEqual([1, 1]);
});

test('money that fits nothing is counted once', async () => {
  const { counts, contexts } = await replicas(4);
  const told = notification(await parts.newVirtualAccount(), 499n);
  await Promise.all(contexts.map((context) => receive(context, told)));
  expect(counts.get('rejected:va')).toBe(1);
});

test('a customer whose choice meets writes without end is told to try again, not that the payment is over', async () => {
  const context = await parts.newContext(newLedger(), dying());
  const ulid = '01M81730P5Q47F5BTEDYQ0ACC4';
  const id = `${PAYMENT_LINK}:${ulid}`;
  const terms = { minSen: 500n, maxSen: 500n, expiresAtMs: clock.now() + 60_000 };
  const details: PaymentLinkDetails = {
    kind: PAYMENT_LINK,
    title: 'Kopi',
    description: '',
    requiredCustomerDetail: false,
    successRedirectUrl: '',
    paymentMethods: ['VA_BCA'],
    paymentUrl: '',
    holders: [],
  };
  const owner = { merchantId: 'm1', partition: 'p0', accountId: ulid, merchantReffNo: '', createdAtMs: clock.now() };
  await context.paymentRequests.insert({ ...owner, id, publicId: '1' }, newPaymentRequest(terms), details, []);
  const { paymentLinkHistory } = await openPaymentLink(context, {
    $typeName: 'gerbang.money_in.v1.OpenPaymentLinkRequest',
    reffNo: linkReference(id),
    ipAddress: '',
  });
  const chosen = {
    $typeName: 'gerbang.money_in.v1.ChoosePaymentMethodRequest' as const,
    reffNo: paymentLinkHistory.reffNo,
    paymentMethod: 'VA_BCA',
    customerName: '',
    customerEmail: '',
    customerPhone: '',
  };
  const beaten = { ...context, paymentRequests: { ...context.paymentRequests, apply: async () => undefined } };
  const refused = await choosePaymentMethod(beaten, chosen).catch((error: unknown) => error);
  expect(refused instanceof RefusalError && refused.refusal.refused).toBe('unavailable');
  const { paymentLinkHistory: after } = await choosePaymentMethod(context, chosen);
  expect(after.paymentMethodValue).toMatch(/^\d{16}$/);
});
