import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { RefundChargeRequestSchema, VerifyChargeOtpRequestSchema } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { deathsOf, dying, untilDeathOrRefusal } from '@gerbang/testkit';
import { type ContractLedger, newLedger } from '@gerbang/testkit/ledger';
import { describe, expect, test } from 'vitest';
import type { StoredBinding } from '../src/binding/document.ts';
import { onChargeDue } from '../src/charge/advance.ts';
import type { StoredCharge } from '../src/charge/document.ts';
import { type NewCharge, placeCharge } from '../src/charge/place.ts';
import { refundCharge } from '../src/charge/rpc/refund-charge.ts';
import { verifyChargeOtp } from '../src/charge/rpc/verify-charge-otp.ts';
import { nextDueMs } from '../src/charge/schedule.ts';
import type { Context } from '../src/context.ts';
import { clock, useParts } from './parts-harness.ts';
import { type Behaviour, newBank } from './scripted-bank.ts';

const parts = useParts();

/** How many steps the longest of the roads has, so that the tables below have a row for each. */
const STEPS_MAX = 14;
const deaths = deathsOf(STEPS_MAX);
/** More often than any of the roads needs. */
const ROUNDS = 8;

async function chargeOf(id: string): Promise<StoredCharge> {
  return (await parts.charges().find(id)) ?? expect.fail('no charge');
}

/** The timers of two replicas, at once, until there is nothing to do any more. */
async function fireTimers(replicas: readonly Context[], id: string): Promise<StoredCharge> {
  for (let round = 0; round < ROUNDS; round++) {
    const charge = await chargeOf(id);
    if (isAtRest(charge)) return charge;
    await Promise.all(replicas.map((replica) => onChargeDue(replica, dueNow(charge))));
  }
  return chargeOf(id);
}

/** Nothing is left to do of it, but to settle later. */
function isAtRest({ state }: StoredCharge): boolean {
  const dueMs = nextDueMs(state, clock.now());
  return dueMs === undefined || (state.status === 'paid' && dueMs === state.fees.settleAtMs && dueMs > clock.now());
}

/** As if the time of every refund that waits for the bank had come. */
function dueNow(charge: StoredCharge): StoredCharge {
  const { state } = charge;
  if (!('refunds' in state)) return charge;
  const refunds = state.refunds.map((refund) =>
    refund.stage.status === 'sending' ? { ...refund, stage: { ...refund.stage, dueAtMs: 0 } } : refund,
  );
  return { ...charge, state: { ...state, refunds } };
}

const eventsOf = ({ document }: StoredCharge) => document.tail.map(({ event }) => event);

describe.each<[string, Behaviour]>([
  ['takes', 'takes'],
  ['refuses', 'refuses'],
  ['takes without an answer', 'lost'],
])('a charge that the bank %s', (_what, behaviour) => {
  test.each(deaths)('whose process dies $when step $step is made once', async (death) => {
    const bank = newBank({ charge: behaviour });
    const ledger = newLedger();
    const { binding, wanted } = await newOrder(bank, ledger);
    await untilDeathOrRefusal(placeCharge(await parts.newContext(bank, ledger, dying(death)), wanted));
    const replicas = [await parts.newContext(bank, ledger), await parts.newContext(bank, ledger)] as const;
    // The merchant repeats the order, which may not have come to be.
    const { order } = await placeCharge(replicas[0], wanted);
    const after = await fireTimers(replicas, order.id);

    expect(order.bindingId).toBe(binding);
    expect(bank.charges.size).toBe(1);
    if (behaviour === 'refuses') {
      expect([after.state.status, eventsOf(after), ledger.keys()]).toEqual(['failed', ['direct-debit.charge.failed'], []]);
    } else {
      expect([after.state.status, eventsOf(after)]).toEqual(['settled', ['direct-debit.charge.succeeded']]);
      expect([ledger.keys(), ledger.balance]).toEqual([['credit', 'settle'], { pending: 0n, available: 100_000_00n }]);
    }
  });
});

test.each(deaths)('a charge with an OTP whose process dies $when step $step is made once', async (death) => {
  const bank = newBank();
  const ledger = newLedger();
  const { wanted } = await newOrder(bank, ledger, 900_000_00n);
  const replicas = [await parts.newContext(bank, ledger), await parts.newContext(bank, ledger)] as const;
  const placed = await placeCharge(replicas[0], wanted);
  const { merchantId, id: transactionId } = placed.order;
  const given = create(VerifyChargeOtpRequestSchema, { merchantId, transactionId, otp: bank.state.otp });
  const dead = await parts.newContext(bank, ledger, dying(death));
  await untilDeathOrRefusal(verifyChargeOtp(dead, given));
  await dead.background.settled();
  await untilDeathOrRefusal(verifyChargeOtp(replicas[0], given));
  const after = await fireTimers(replicas, transactionId);

  expect([after.state.status, eventsOf(after)]).toEqual(['settled', ['direct-debit.charge.succeeded']]);
  expect([bank.charges.size, ledger.keys(), ledger.balance.available]).toEqual([1, ['credit', 'settle'], 900_000_00n]);
});

describe.each<[string, Behaviour, number]>([
  ['unsettled charge that the bank gives', 'takes', 3_600_000],
  ['unsettled charge that the bank refuses', 'refuses', 3_600_000],
  ['unsettled charge that the bank gives without an answer', 'lost', 3_600_000],
  ['settled charge that the bank gives', 'takes', 0],
  ['settled charge that the bank refuses', 'refuses', 0],
])('a refund of a part of an %s', (_what, behaviour, settleInMs) => {
  test.each(deaths)('whose process dies $when step $step is made once', async (death) => {
    const bank = newBank({ refund: behaviour });
    const ledger = newLedger();
    const { wanted } = await newOrder(bank, ledger);
    const replicas = [
      await parts.newContext(bank, ledger, dying(), { settleInMs }),
      await parts.newContext(bank, ledger, dying(), { settleInMs }),
    ] as const;
    const { order } = await placeCharge(replicas[0], wanted);
    await fireTimers(replicas, order.id);
    const request = create(RefundChargeRequestSchema, {
      merchantId: order.merchantId,
      transactionId: order.id,
      referenceNumber: 'refund',
      amountSen: 30_000_00n,
    });
    const dead = await parts.newContext(bank, ledger, dying(death), { settleInMs });
    await untilDeathOrRefusal(refundCharge(dead, request));
    await dead.background.settled();
    await refundCharge(replicas[0], request);
    const after = await fireTimers(replicas, order.id);

    const isGiven = behaviour !== 'refuses';
    const leftSen = isGiven ? 70_000_00n : 100_000_00n;
    const refunds = 'refunds' in after.state ? after.state.refunds.map(({ stage }) => stage.status) : [];
    expect(refunds).toEqual([isGiven ? 'succeeded' : 'failed']);
    expect(ledger.balance).toEqual(settleInMs > 0 ? { pending: leftSen, available: 0n } : { pending: 0n, available: leftSen });
    expect(bank.refunds.size).toBe(1);
    expect(eventsOf(after).slice(1)).toEqual([isGiven ? 'direct-debit.refund.succeeded' : 'direct-debit.refund.failed']);
  });
});

test('the tables have a row for every step', async () => {
  const bank = newBank();
  const ledger = newLedger();
  const counted = dying();
  const { wanted } = await newOrder(bank, ledger);
  const { order } = await placeCharge(await parts.newContext(bank, ledger, counted, { settleInMs: 3_600_000 }), wanted);
  const ofCharge = counted.steps();
  const refunding = dying();
  const { merchantId, id: transactionId } = order;
  const request = create(RefundChargeRequestSchema, { merchantId, transactionId, referenceNumber: 'refund' });
  await refundCharge(await parts.newContext(bank, ledger, refunding), request);
  expect([ofCharge, refunding.steps()].every((steps) => steps > 5 && steps <= STEPS_MAX)).toBe(true);
});

let shared: Promise<StoredBinding> | undefined;

/** A charge that is not ordered yet. All are of one customer's account. */
async function newOrder(bank: ReturnType<typeof newBank>, ledger: ContractLedger, amountSen = 100_000_00n) {
  shared ??= parts.newBinding(await parts.newContext(bank, ledger));
  const { merchantId, accountId, id: bindingId } = (await shared).order;
  const wanted: NewCharge = { merchantId, accountId, bindingId, referenceNumber: randomUUID(), amountSen, description: '' };
  return { binding: bindingId, wanted };
}
