import { create } from '@bufbuild/protobuf';
import { createClock } from '@gerbang/core';
import { CancelRequestSchema } from '@gerbang/proto/gerbang/cards/v1/cards';
import { type Death, deathsOf, dying, untilDeathOrRefusal } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import { placePayment } from '../src/payment/place.ts';
import { cancel } from '../src/payment/rpc/cancel.ts';
import { ACCOUNT, CVV, card, eventsOf, MERCHANT, NUMBER, newId, newOrder, useParts } from './parts-harness.ts';
import { type Behaviour, newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const DAY_MS = 86_400_000;

/** How many steps the longest of the roads has, so that the tables below have a row for each. */
const STEPS_MAX = 12;
const deaths = deathsOf(STEPS_MAX);

async function setUp(behaviour: Parameters<typeof newAcquirer>[0], death?: Death) {
  const acquirer = newAcquirer(behaviour);
  const ledger = newLedger();
  const clock = createClock();
  const counted = dying(death);
  const open = (by = dying()) => parts.newContext(acquirer, ledger, by, { clock });
  const replicas = [await open(), await open()] as const;
  return { acquirer, ledger, clock, counted, mortal: await open(counted), replicas, id: newId() };
}

describe.each<[string, Behaviour]>([
  ['takes', 'takes'],
  ['refuses', 'refuses'],
  ['takes without an answer', 'lost'],
  ['never gets', 'unsent'],
])('a payment that the acquirer %s', (_what, authorise) => {
  test.each(deaths)('whose process dies $when step $step is sent once at the most, and comes to its end', async (death) => {
    const { acquirer, ledger, clock, mortal, replicas, id } = await setUp({ authorise }, death);
    await untilDeathOrRefusal(placePayment(mortal, id, newOrder(), card()));
    await mortal.background.settled();
    // A retry under the same Idempotency-Key brings the card again.
    await placePayment(replicas[0], id, newOrder(), card());
    const after = await parts.fireTimers(replicas, clock, id, clock.now() + DAY_MS);

    // One that dies between the mark and the call is not sent: afterwards that can't be told from a call without an answer.
    const isSent = acquirer.cards.length === 1;
    expect(acquirer.cards.length).toBeLessThanOrEqual(1);
    const isTaken = acquirer.held.get(id)?.captures === 1;
    expect([after.state.status, eventsOf(after)]).toEqual(isTaken ? ['settled', ['succeeded']] : ['failed', ['failed']]);
    expect(ledger.keys()).toEqual(isTaken ? ['credit', 'settle'] : []);
    expect(ledger.balance).toEqual({ pending: 0n, available: isTaken ? 250_000_00n : 0n });
    expect(isTaken).toBe(isSent && (authorise === 'takes' || authorise === 'lost'));
    if (death.when === 'after' && death.step !== 2) expect(isSent).toBe(true);
  });
});

test.each(deaths)('a payment whose process dies $when step $step, and whose card is gone, is never sent later', async (death) => {
  const { acquirer, clock, mortal, replicas, id } = await setUp({}, death);
  await untilDeathOrRefusal(placePayment(mortal, id, newOrder(), card()));
  await mortal.background.settled();
  if ((await replicas[0].payments.find(id)) === undefined) return;
  const sent = acquirer.cards.length;
  const after = await parts.fireTimers(replicas, clock, id, clock.now() + DAY_MS);
  expect(acquirer.cards.length).toBe(sent);
  expect(after.state.status).toBe(sent === 1 ? 'settled' : 'failed');
});

describe.each<[string, Parameters<typeof newAcquirer>[0], number, string]>([
  ['a void', {}, 0, 'cancelled'],
  ['a void without an answer', { void: 'lost' }, 0, 'cancelled'],
  ['a refund before the settlement', {}, 31_000, 'refunded'],
  ['a refund after the settlement', {}, DAY_MS, 'refunded'],
  ['a refund without an answer', { refund: 'lost' }, DAY_MS, 'refunded'],
  ['a refund that is refused', { refund: 'refuses' }, DAY_MS, 'settled'],
])('%s', (_what, behaviour, afterMs, status) => {
  test.each(deaths)('whose process dies $when step $step is made once', async (death) => {
    const { acquirer, ledger, clock, mortal, replicas, id } = await setUp(behaviour, death);
    await placePayment(replicas[0], id, newOrder(), card());
    await parts.fireTimers(replicas, clock, id, clock.now() + afterMs);
    const request = create(CancelRequestSchema, { merchantId: MERCHANT, accountId: ACCOUNT, id });
    await untilDeathOrRefusal(cancel(mortal, request));
    await mortal.background.settled();
    await untilDeathOrRefusal(cancel(replicas[0], request));
    const after = await parts.fireTimers(replicas, clock, id, clock.now() + DAY_MS);

    expect(after.state.status).toBe(status);
    const held = acquirer.held.get(id);
    expect([held?.voids, held?.refunds.size]).toEqual(status === 'settled' ? [0, 0] : status === 'cancelled' ? [1, 0] : [0, 1]);
    expect(ledger.balance).toEqual({ pending: 0n, available: status === 'settled' ? 250_000_00n : 0n });
    expect(eventsOf(after)).toEqual(status === 'settled' ? ['succeeded'] : ['succeeded', status]);
  });
});

test('the tables have a row for every step', async () => {
  const { mortal, counted, clock, id } = await setUp({});
  await placePayment(mortal, id, newOrder(), card());
  const ofPayment = counted.steps();
  await parts.fireTimers([mortal], clock, id, clock.now() + DAY_MS);
  const before = counted.steps();
  await cancel(mortal, create(CancelRequestSchema, { merchantId: MERCHANT, accountId: ACCOUNT, id }));
  expect([ofPayment, counted.steps() - before].every((steps) => steps >= 4 && steps <= STEPS_MAX)).toBe(true);
});

test('no digit of the card is in the database after all that', async () => {
  const text = await parts.everything();
  expect(text.length).toBeGreaterThan(10_000);
  expect(text).not.toContain(NUMBER);
  expect(text).not.toContain(NUMBER.slice(6, 12));
  expect(text).not.toContain(`"${CVV}"`);
});
