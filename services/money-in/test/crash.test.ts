import { deathsOf, dying, untilDeath } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import { onPaymentsDue } from '../src/payment/on-due.ts';
import { receive } from '../src/payment/receive.ts';
import { reverse } from '../src/payment/reverse.ts';
import { mustFind } from '../src/payment-request/change.ts';
import { onPaymentRequestsDue } from '../src/payment-request/on-due.ts';
import { qrisReference } from '../src/qris/qris.ts';
import type { AskRail } from '../src/rail/ask.ts';
import { clock, notification, useParts } from './parts-harness.ts';

const parts = useParts();
const { newContext, newVirtualAccount, newCode } = parts;

/** When an overdue code was paid: in time, also where it falls on a whole second, which stands for any time up to its end. */
const PAID_BEFORE_MS = 2_500;

/** How many steps the whole road has, so that the table below has a row for each. */
const STEPS_MAX = 16;
const deaths = deathsOf(STEPS_MAX);

describe.each([
  ['fits', 500n],
  ['fits nothing', 499n],
] as const)('a payment that %s', (_what, amountSen) => {
  test.each(deaths)('whose process dies $when step $step is counted once', async (death) => {
    const ledger = newLedger();
    const request = await newVirtualAccount();
    const told = notification(request, amountSen);
    const first = dying(death);
    await untilDeath(receive(await newContext(ledger, first), told));
    // The rail comes again, and so does the timer, at once and to different replicas.
    const alive = await newContext(ledger, dying());
    const known = await parts.payments().find(`va:bank:${request.order.publicId}`);
    await Promise.all([receive(alive, told), ...(known === undefined ? [] : [onPaymentsDue(alive, [known])])]);
    const payment = await parts.payments().find(`va:bank:${request.order.publicId}`);
    await onPaymentsDue(alive, [payment ?? expect.fail('no payment')]);

    const after = await parts.paymentRequests().find(request.order.id);
    const ended = await parts.payments().find(`va:bank:${request.order.publicId}`);
    const events = ended?.document.tail.map(({ event }) => event);
    const keys = [...ledger.posted.keys()].map((key) => key.slice(key.indexOf(':') + 1)).sort();
    expect(after?.state.inFlight).toEqual([]);
    if (amountSen === 500n) {
      expect([ended?.state.status, events, keys, after?.state.used]).toEqual([
        'settled',
        ['va-transaction.paid'],
        ['credit', 'settle'],
        1,
      ]);
    } else expect([ended?.state.status, events, keys, after?.state.used]).toEqual(['suspended', [], ['suspense'], 0]);
  });
});

test('the table has a row for every step', async () => {
  const ledger = newLedger();
  const counted = dying();
  const request = await newVirtualAccount();
  await receive(await newContext(ledger, counted), notification(request, 500n));
  expect(counted.steps()).toBeLessThanOrEqual(STEPS_MAX);
  expect(counted.steps()).toBeGreaterThan(5);
});

describe.each([
  ['was paid there', true],
  ['was not paid', false],
] as const)('an overdue QRIS code that %s', (_what, isPaid) => {
  test.each(deaths)('is ended once when the process that asks its rail dies $when step $step', async (death) => {
    const ledger = newLedger();
    const code = await newCode();
    const reference = qrisReference(code.order.id);
    const paidAtMs = clock.now() - PAID_BEFORE_MS;
    const askRail: AskRail = async () =>
      isPaid ? { outcome: 'paid', railReference: reference, amountSen: 500n, paidAtMs } : { outcome: 'not_found' };
    await untilDeath(onPaymentRequestsDue(await newContext(ledger, dying(death), { askRail }), [code]));
    // The timer comes back to it, at two replicas, while the rail at last reports the payment.
    const alive = await newContext(ledger, dying(), { askRail });
    const again = await mustFind(alive, code.order.id);
    const told = { ...notification(code, 500n), rail: 'qris' as const, partnerId: 'acquirer', railReference: reference };
    const callback = { ...told, paidTo: reference, paidAtMs };
    await Promise.all([
      onPaymentRequestsDue(alive, [again]),
      onPaymentRequestsDue(alive, [again]),
      ...(isPaid ? [receive(alive, callback)] : []),
    ]);

    const { state, document } = await mustFind(alive, code.order.id);
    const ended = [
      state.status,
      state.used,
      state.inFlight,
      document.tail.map(({ event }) => event),
      [...ledger.posted.values()],
    ];
    expect(ended).toEqual(isPaid ? ['completed', 1, [], ['qris.paid'], [500n]] : ['expired', 0, [], ['qris.expired'], []]);
  });
});

test('the table has a row for every step of a reversal', async () => {
  const ledger = newLedger();
  const counted = dying();
  const code = await newCode(60_000);
  const paidTo = qrisReference(code.order.id);
  const named = { rail: 'qris' as const, partnerId: 'acquirer', railReference: paidTo, paidTo, amountSen: 500n, request: code };
  await receive(await newContext(ledger, dying()), { ...notification(code, 500n), ...named });
  await reverse(await newContext(ledger, counted), { ...named, kind: 'refunded', reportedAtMs: clock.now(), reason: '' });
  expect(counted.steps()).toBeLessThanOrEqual(STEPS_MAX);
  expect(counted.steps()).toBeGreaterThan(5);
});

test('the table has a row for every step of asking', async () => {
  const counted = dying();
  const code = await newCode();
  const askRail: AskRail = async () => ({
    outcome: 'paid',
    railReference: code.order.publicId,
    amountSen: 500n,
    paidAtMs: clock.now() - PAID_BEFORE_MS,
  });
  await onPaymentRequestsDue(await newContext(newLedger(), counted, { askRail }), [code]);
  expect(counted.steps()).toBeLessThanOrEqual(STEPS_MAX);
  expect(counted.steps()).toBeGreaterThan(5);
});

test.each(deaths)('payments whose process dies $when step $step of their settlement settle once', async (death) => {
  const ledger = newLedger();
  const alive = await newContext(ledger, dying());
  const codes = [await newCode(), await newCode()];
  const ids = codes.map((code) => `qris:acquirer:${code.order.publicId}`);
  for (const code of codes) {
    const paidTo = qrisReference(code.order.id);
    const paidAtMs = clock.now() - PAID_BEFORE_MS;
    await receive(alive, { ...notification(code, 500n), rail: 'qris', partnerId: 'acquirer', paidTo, paidAtMs });
  }
  const read = async () => (await Promise.all(ids.map((id) => parts.payments().find(id)))).filter((one) => one !== undefined);
  const paid = await read();
  expect(paid.map(({ state }) => state.status)).toEqual(['paid', 'paid']);
  await untilDeath(onPaymentsDue(await newContext(ledger, dying(death)), paid));
  const left = await read();
  await Promise.all([onPaymentsDue(alive, left), onPaymentsDue(alive, left)]);

  expect((await read()).map(({ state }) => state.status)).toEqual(['settled', 'settled']);
  const shown = await parts.paymentRequests().findMany(codes.map((code) => code.order.id));
  expect(shown.map(({ payment }) => payment?.settledAtMs)).toEqual([1, 1]);
  expect([...ledger.posted.keys()].filter((key) => key.endsWith(':settle'))).toHaveLength(2);
});

describe.each([
  ['before it settles', -1_000],
  ['when it is due to settle', 1_000],
])('a payment that its rail reverses %s', (_when, sinceDueMs) => {
  test.each(deaths)('is taken back once when the process dies $when step $step', async (death) => {
    const ledger = newLedger();
    const settlesAt = () => clock.now() - sinceDueMs;
    const alive = { ...(await newContext(ledger, dying())), settlesAt };
    const code = await newCode(60_000);
    const paidTo = qrisReference(code.order.id);
    const named = { rail: 'qris' as const, partnerId: 'acquirer', railReference: paidTo, paidTo, amountSen: 500n, request: code };
    await receive(alive, { ...notification(code, 500n), ...named });
    const report = { ...named, kind: 'refunded' as const, reportedAtMs: clock.now(), reason: '' };
    const dead = { ...(await newContext(ledger, dying(death))), settlesAt };
    await untilDeath(reverse(dead, report));
    // The rail comes again, and so does the timer, at two replicas, which also settles what is due.
    const id = `qris:acquirer:${paidTo}`;
    const left = (await parts.payments().find(id)) ?? expect.fail('no payment');
    await Promise.all([reverse(alive, report), reverse(alive, report), onPaymentsDue(alive, [left])]);

    const { state, document } = (await parts.payments().find(id)) ?? expect.fail('no payment');
    const shown = await mustFind(alive, code.order.id);
    expect([state.status, shown.state.status, document.due_at]).toEqual(['reversed', 'reversed', undefined]);
    expect(shown.document.tail.map(({ event }) => event)).toEqual(['qris.paid', 'qris.reversed']);
    expect(ledger.balance).toEqual({ pending: 0n, available: 0n });
  });
});
