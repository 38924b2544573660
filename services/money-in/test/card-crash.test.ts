import { create } from '@bufbuild/protobuf';
import { newUlid } from '@gerbang/core';
import { CardOutcome, ReportCardPaymentRequestSchema } from '@gerbang/proto/gerbang/money_in/v1/link_card';
import { Crash, type Death, dying } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import { PAYMENT_LINK, type PaymentLinkDetails } from '../src/payment-link/payment-link.ts';
import { newPaymentRequest } from '../src/payment-request/payment-request.ts';
import { reportCardPayment } from '../src/session/rpc/report-card-payment.ts';
import { SESSION, type SessionDetails, sessionReference } from '../src/session/session.ts';
import { clock, useParts } from './parts-harness.ts';

const parts = useParts();
const PAYMENT = `99${'0'.repeat(26)}`;

/** The longest road: a success, until the session shows it. */
const STEPS = 14;
const deaths: Death[] = [
  ...Array.from({ length: STEPS }, (_, i) => ({ step: i + 1, when: 'before' as const })),
  { step: STEPS, when: 'after' },
];

/** A link and a session of it whose customer pays by card just now; of a link with limited uses the session holds one. */
async function newSession(maxUses: number | undefined) {
  const nowMs = clock.now();
  const link: PaymentLinkDetails = {
    kind: PAYMENT_LINK,
    title: 'Kopi',
    description: '',
    requiredCustomerDetail: false,
    successRedirectUrl: '',
    paymentMethods: ['CARD'],
    paymentUrl: '',
    holders: [],
  };
  const session: SessionDetails = {
    kind: SESSION,
    linkId: `${PAYMENT_LINK}:${newUlid(nowMs)}`,
    linkNumber: 1n,
    ipAddress: '10.0.0.1',
    paymentMethod: 'CARD',
    paymentMethodValue: '',
    issued: [{ method: 'CARD', value: '' }],
    declined: [],
    card: { attempt: 1, paymentId: PAYMENT, status: 'open' },
    customerName: '',
    customerEmail: '',
    customerPhone: '',
  };
  const common = { publicId: '1', merchantId: 'm1', partition: 'p0', accountId: newUlid(nowMs), merchantReffNo: '' };
  const order = { ...common, createdAtMs: nowMs - 60_000 };
  const id = `${SESSION}:${newUlid(nowMs)}`;
  const state = newPaymentRequest({ minSen: 500n, maxSen: 500n, expiresAtMs: nowMs + 900_000 });
  const inFlight = maxUses === undefined ? [] : [id];
  const store = parts.paymentRequests();
  await store.insert({ ...order, id: session.linkId }, { ...state, maxUses, inFlight }, link, []);
  await store.insert({ ...order, id }, { ...state, maxUses: 1 }, session, []);
  const find = async (one: string) => (await store.find(one)) ?? expect.fail('no payment request');
  return { id, link: () => find(session.linkId), session: () => find(id) };
}

const told = (id: string, outcome: CardOutcome) =>
  create(ReportCardPaymentRequestSchema, {
    reffNo: sessionReference(id),
    paymentId: PAYMENT,
    outcome,
    amountSen: 500n,
    netSen: 500n,
    paidAtMs: BigInt(clock.now()),
  });

const open = (by = dying(undefined)) => parts.newContext(newLedger(), by);

describe.each([
  ['one use', 1],
  ['any number of uses', undefined],
])('of a link with %s', (_what, maxUses) => {
  test.each(deaths)('a success is counted once by a process that dies $when step $step and two that follow', async (death) => {
    const { id, link, session } = await newSession(maxUses);
    const paid = told(id, CardOutcome.PAID);
    await reportCardPayment(await open(dying(death)), paid).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    const replicas = [await open(), await open()];
    const answers = await Promise.all(replicas.map((replica) => reportCardPayment(replica, paid)));
    expect(answers).toEqual([{ accepted: true }, { accepted: true }]);
    expect((await link()).state).toMatchObject({ used: 1, inFlight: [] });
    const after = await session();
    expect(after.state).toMatchObject({ status: 'completed', used: 1, inFlight: [] });
    expect(after.document.tail.map(({ event }) => event)).toEqual(['payment-link-history.paid']);
  });

  test.each(deaths)('one that is lost while a process dies $when step $step leaves nothing half counted', async (death) => {
    const { id, link, session } = await newSession(maxUses);
    await reportCardPayment(await open(dying(death)), told(id, CardOutcome.PAID)).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    const replicas = [await open(), await open()];
    await Promise.all(replicas.map((replica) => reportCardPayment(replica, told(id, CardOutcome.FAILED))));
    const { state, document } = await session();
    const events = document.tail.map(({ event }) => event);
    const of = await link();
    if (of.state.used === 1) {
      expect([state.status, events]).toEqual(['failed', ['payment-link-history.paid', 'payment-link-history.reversed']]);
      expect(of.state.inFlight).toEqual([]);
    } else {
      expect([state.status, state.inFlight, events]).toEqual(['active', [], []]);
      // The session keeps the use that it holds for its next try.
      expect(of.state.inFlight).toEqual(maxUses === undefined ? [] : [id]);
    }
  });
});

test('a success of a link that is used up holds nothing', async () => {
  const { id, link, session } = await newSession(undefined);
  const { document } = await link();
  await parts.paymentRequests().aggregates.change(document, { set: { max_uses: 1, used: 1 }, events: [] });
  expect(await reportCardPayment(await open(), told(id, CardOutcome.PAID))).toEqual({ accepted: false });
  expect((await session()).state).toMatchObject({ status: 'active', inFlight: [] });
});

test('the tables have a row for every step', async () => {
  const counted = dying(undefined);
  const { id } = await newSession(undefined);
  await reportCardPayment(await open(counted), told(id, CardOutcome.PAID));
  expect(counted.steps()).toBe(STEPS);
});
