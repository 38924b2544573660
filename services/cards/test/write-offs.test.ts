import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError } from '@gerbang/core';
import { ContestedDecision, DecideContestedRequestSchema } from '@gerbang/proto/gerbang/cards/v1/operators';
import type { AcquirerChargeback } from '@gerbang/rails/card';
import { deathsOf, dying, untilDeathOrRefusal } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { operatorCall } from '@gerbang/testkit/operator-gate';
import { expect, test } from 'vitest';
import { takeReport } from '../src/chargeback/report.ts';
import { decideContested } from '../src/operators/rpc/decide-contested.ts';
import { placePayment } from '../src/payment/place.ts';
import { lookAgain } from '../src/payment/report.ts';
import { card, eventsOf, newId, newOrder, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

/** Payments that are disputed, taken back by the acquirer as well, and written off by operators. */

const parts = useParts();
const DAY_MS = 86_400_000;
const PAID = 250_000_00n;
const DISPUTED = 100_000_00n;
let cases = 0;

/** A payment that has come so far by this time after its order. */
async function setUp(afterMs: number) {
  const acquirer = newAcquirer();
  const ledger = newLedger();
  const clock = createClock();
  const context = await parts.newContext(acquirer, ledger, undefined, { clock });
  const id = newId();
  await placePayment(context, id, newOrder(), card());
  const goTo = (ms: number) => parts.fireTimers([context], clock, id, clock.now() + ms);
  await goTo(afterMs);
  const report = (said: AcquirerChargeback) => {
    acquirer.cases.set(said.caseId, said);
    return takeReport(context, said);
  };
  return { acquirer, ledger, clock, context, id, goTo, report };
}
type World = Awaited<ReturnType<typeof setUp>>;

function newCase(reference: string, sen: bigint): AcquirerChargeback {
  const reason = { reasonCode: '10.4', reason: 'Fraud', respondByMs: undefined };
  const caseId = `write-off-${++cases}`;
  return { caseId, reference, amountSen: sen.toString(), ...reason, stage: 'chargeback', isWithdrawn: false };
}

/** The acquirer gives all of the payment back to the customer. */
async function takeBack({ acquirer, context, id }: World) {
  Object.assign(acquirer.held.get(id) ?? expect.fail('not held'), { status: 'refunded' });
  expect((await lookAgain(context, await parts.find(id))).state.status).toBe('contested');
}

function writeOff({ context, id }: Pick<World, 'context' | 'id'>) {
  const request = { id, decision: ContestedDecision.WRITE_OFF, evidence: 'mail of the acquirer' };
  return decideContested(context, create(DecideContestedRequestSchema, request), { ...operatorCall('ben'), proposer: 'ana' });
}

test.each<[string, number]>([
  ['before', 0],
  ['after', DAY_MS],
])('a payment that is written off $0 its time of settlement settles', async (when, waitedMs) => {
  const world = await setUp(31_000);
  const { ledger, clock, context, id, goTo, report } = world;
  await report(newCase(id, DISPUTED));
  await takeBack(world);
  clock.setOffset(clock.offsetMs() + waitedMs);
  expect(await writeOff(world)).toEqual({ state: 'written-off' });
  expect(ledger.balance).toEqual(
    when === 'before' ? { pending: PAID, available: 0n } : { pending: 0n, available: PAID - DISPUTED },
  );
  const after = await goTo(DAY_MS);
  expect(after.state).toMatchObject({ status: 'written-off', capture: { settledAtMs: 1 } });
  // What the chargeback was short of is repaid by the settlement.
  expect(ledger.balance).toEqual({ pending: 0n, available: PAID - DISPUTED });
  expect([ledger.disputed.owed, ledger.suspense.sen]).toEqual([0n, DISPUTED - PAID]);
  expect(ledger.keys().filter((key) => key === 'settle')).toHaveLength(1);
  expect(eventsOf(after)).toEqual(['succeeded', 'decided']);
  // From then on the acquirer is asked now and then.
  expect(after.document.due_at?.getTime()).toBeGreaterThan(context.clock.now());
});

test('a payment that chargebacks claim all of is written off, and suspense bears nothing of it', async () => {
  const world = await setUp(DAY_MS);
  const { ledger, id, report } = world;
  await report(newCase(id, PAID));
  await takeBack(world);
  expect(await writeOff(world)).toEqual({ state: 'written-off' });
  expect([ledger.suspense.sen, ledger.disputed.reserve]).toEqual([0n, PAID]);
});

/** A payment with a chargeback of a part that was given back by the acquirer. `win`: the acquirer withdraws the chargeback. */
async function disputedAndTakenBack() {
  const world = await setUp(DAY_MS);
  const said = newCase(world.id, DISPUTED);
  const { order } = await world.report(said);
  await takeBack(world);
  const alerts: unknown[] = [];
  world.context.log = { ...world.context.log, error: (fields: unknown) => void alerts.push(fields) };
  return { ...world, order, alerts, win: () => world.report({ ...said, isWithdrawn: true }) };
}

test('a chargeback that is won after its payment was written off: suspense bears its part as well', async () => {
  const world = await disputedAndTakenBack();
  const { ledger, alerts, order, win } = world;
  await writeOff(world);
  expect(ledger.suspense.sen).toBe(DISPUTED - PAID);
  expect((await win()).state.status).toBe('won');
  expect((await win()).state.status).toBe('won');
  expect([ledger.balance.available, ledger.disputed.reserve, ledger.suspense.sen]).toEqual([PAID, 0n, -PAID]);
  expect(alerts).toMatchObject([{ alert: 'chargeback-not-covered', chargeback_id: order.id, transaction_id: world.id }]);
});

test('a chargeback that is won before its payment is written off: suspense bears all of it at once', async () => {
  const world = await disputedAndTakenBack();
  const { ledger, alerts, win } = world;
  expect((await win()).state.status).toBe('won');
  await writeOff(world);
  expect([ledger.balance.available, ledger.suspense.sen, alerts]).toEqual([PAID, -PAID, []]);
  expect(ledger.keys()).not.toContain('uncovered');
});

/** How many steps a write-off has that a process can die at. */
const WRITE_OFF_STEPS = 4;

test.each(deathsOf(WRITE_OFF_STEPS))(
  'a chargeback that is won while a write-off has died $when step $step: suspense bears all of the payment once',
  async (death) => {
    const world = await disputedAndTakenBack();
    const { acquirer, ledger, clock, context, id, order, goTo, win } = world;
    const mortal = await parts.newContext(acquirer, ledger, dying(death), { clock });
    await untilDeathOrRefusal(writeOff({ context: mortal, id }));
    const { status } = (await parts.find(id)).state;
    const refused = status === 'withdrawing' ? 'unavailable' : undefined;
    expect(await refusalOf(win())).toBe(refused);
    await goTo(DAY_MS);
    if (status === 'contested') await writeOff(world);
    const after = await parts.fireChargebackTimers([context], clock, order.id);
    expect([after.state.status, (await parts.find(id)).state.status]).toEqual(['won', 'written-off']);
    expect([ledger.balance.available, ledger.disputed.reserve, ledger.suspense.sen]).toEqual([PAID, 0n, -PAID]);
  },
);

async function refusalOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal.refused;
    throw error;
  }
}
