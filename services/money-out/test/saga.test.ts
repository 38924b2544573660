import { createClock, newUlid, RefusalError } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { BankTransferInquiryResult, BankTransferResult } from '@gerbang/rails/bank-transfer';
import { eventually } from '@gerbang/testkit';
import { describe, expect, test } from 'vitest';
import type { StoredTransfer } from '../src/transfer/document.ts';
import { onTransferDue } from '../src/transfer/on-due.ts';
import type { TransferOrder } from '../src/transfer/product.ts';
import { holdFunds, inquire, sendToRail, settle } from '../src/transfer/saga.ts';
import {
  Crash,
  crashing,
  eventsOf,
  insert,
  ledgerWhen,
  newOrder,
  type SagaWorld,
  scriptedLedger,
  untilDone,
  useSagaWorld,
  type Wrap,
} from './saga-world.ts';

const { withBank } = useSagaWorld('saga');

/** A bank that executes each reference once and answers by a script; the last answer is repeated. */
function scriptedBank(script: { transfer: BankTransferResult[]; executes: boolean }) {
  const executed = new Set<string>();
  const settled = { done: false };
  let calls = 0;
  const bank = {
    executed,
    settled,
    async transfer(request: { partnerReference: string }): Promise<BankTransferResult> {
      const answer = script.transfer[Math.min(calls, script.transfer.length - 1)] ?? { outcome: 'unknown', reason: 'no script' };
      calls++;
      if (script.executes) executed.add(request.partnerReference);
      return answer;
    },
    async inquireTransfer(request: { partnerReference: string }): Promise<BankTransferInquiryResult> {
      if (calls === 0) return { outcome: 'not_found' };
      return executed.has(request.partnerReference)
        ? { outcome: 'succeeded', railReference: 'r' }
        : { outcome: 'failed', code: '4031814', reason: 'no', cause: 'other' };
    },
  };
  return bank;
}

/**
 * As the service does it: a request, then timers until the end. A crash at any await ends the request; the timer takes the
 * transfer up again.
 */
async function run(world: SagaWorld, order: TransferOrder): Promise<StoredTransfer | undefined> {
  try {
    const created = await insert(world, order);
    if (created !== undefined) await sendToRail(world.context, await holdFunds(world.context, created), { firstSend: true });
  } catch (error) {
    if (!(error instanceof Crash) && !(error instanceof RefusalError)) throw error;
  }
  return untilDone(world, order);
}

async function created(world: SagaWorld, order: TransferOrder): Promise<StoredTransfer> {
  const inserted = await insert(world, order);
  if (inserted === undefined) throw new Error('taken');
  return inserted;
}

const success: BankTransferResult = { outcome: 'succeeded', railReference: 'r' };
const failure: BankTransferResult = { outcome: 'failed', code: '4031814', reason: 'no', cause: 'other' };
const unknown: BankTransferResult = { outcome: 'unknown', reason: 'timeout' };

describe.each([
  ['success', { transfer: [success], executes: true }, 'succeeded'],
  ['failure', { transfer: [failure], executes: false }, 'failed'],
  ['timeout, then success', { transfer: [unknown], executes: true }, 'succeeded'],
  ['timeout, then failure', { transfer: [unknown], executes: false }, 'failed'],
] as const)('%s', (_name, script, expected) => {
  const steps = Array.from({ length: 12 }, (_, i) => i + 1).flatMap((at) => [[at, 'before'] as const, [at, 'after'] as const]);

  test.each(steps)('crash at step %i, %s it: the money moves once and as the bank says', async (at, when) => {
    const clock = createClock();
    const ledger = scriptedLedger();
    const bank = scriptedBank({ transfer: [...script.transfer], executes: script.executes });
    const { wrap } = crashing(at, when);
    const rail = { transfer: wrap(bank.transfer), inquireTransfer: wrap(bank.inquireTransfer) };
    const world = await withBank(rail, ledger, clock, wrap);
    const end = await run(world, newOrder(clock));

    if (end === undefined) {
      // It died before the transfer was written down: nothing has happened.
      expect([at, when]).toEqual([1, 'before']);
      expect(ledger.of(Intent.HOLD)).toEqual([]);
      expect(bank.executed.size).toBe(0);
      return;
    }
    expect(end.state.status).toBe(expected);
    expect(ledger.of(Intent.HOLD)).toHaveLength(1);
    expect(ledger.of(Intent.CAPTURE)).toHaveLength(expected === 'succeeded' ? 1 : 0);
    expect(ledger.of(Intent.RELEASE)).toHaveLength(expected === 'failed' ? 1 : 0);
    expect(bank.executed.size).toBe(expected === 'succeeded' ? 1 : 0);
    expect(ledger.balances).toEqual(ledgerWhen(expected === 'succeeded'));
    expect(eventsOf(end)).toEqual(['disbursement.accepted', `disbursement.${expected}`]);
    expect(world.counts).toMatchObject({ contradicted: 0, corrected: 0 });
    expect(world.counts.accepted).toBeLessThanOrEqual(1);
    expect(world.counts.finished).toBeLessThanOrEqual(1);
  });
});

test('a rail that answers soon costs an insert, a hold, a call, a capture and one write', async () => {
  const clock = createClock();
  const steps: string[] = [];
  const noting: Wrap =
    (work) =>
    (...args) => {
      steps.push(work.name);
      return work(...args);
    };
  const bank = scriptedBank({ transfer: [success], executes: true });
  const world = await withBank({ ...bank, transfer: noting(bank.transfer) }, scriptedLedger(), clock, noting);
  const end = await run(world, newOrder(clock));
  expect([end?.state.status, end?.document.version]).toEqual(['succeeded', 2n]);
  expect(steps).toEqual(['insert', 'post', 'transfer', 'post', 'apply']);
});

test('without the balance nothing is left, and the reference is free', async () => {
  const clock = createClock();
  const bank = scriptedBank({ transfer: [success], executes: true });
  const poor = await withBank(bank, scriptedLedger(0n), clock);
  const order = newOrder(clock);
  expect(await run(poor, order)).toBeUndefined();
  const rich = await withBank(bank, scriptedLedger(), clock);
  expect((await run(rich, { ...order, transactionId: newUlid(clock.now()) }))?.state.status).toBe('succeeded');
});

test('an order that is repeated after its data were lost is the same one to the bank, and is paid once', async () => {
  const clock = createClock();
  const bank = scriptedBank({ transfer: [success, unknown], executes: true });
  const world = await withBank(bank, scriptedLedger(), clock);
  const lost = newOrder(clock);
  expect((await run(world, lost))?.state.status).toBe('succeeded');
  await world.context.transfers.aggregates.collection.deleteOne({ _id: `${lost.accountId}:${lost.referenceNumber}` });

  // The restored ledger does not know the payment either. The bank refuses the used reference, and is inquired.
  const ledger = scriptedLedger();
  const restored = await withBank(bank, ledger, clock);
  const again = { ...lost, transactionId: newUlid(clock.now()) };
  expect((await run(restored, again))?.state.status).toBe('succeeded');
  expect(bank.executed).toEqual(new Set([lost.partnerReference]));
  expect(ledger.balances).toEqual(ledgerWhen(true));
});

test('two that learn the outcome at the same time write, count and log it once', async () => {
  const clock = createClock();
  const world = await withBank(scriptedBank({ transfer: [success], executes: true }), scriptedLedger(), clock);
  const { context, counts } = world;
  const held = await holdFunds(context, await created(world, newOrder(clock)));
  const both = await Promise.all([1, 2].map(() => settle(context, held.transfer, success, held.send)));
  expect(both.map(({ state }) => state.status)).toEqual(['succeeded', 'succeeded']);
  expect(counts).toEqual({ accepted: 1, duplicated: expect.any(Number), finished: 1, corrected: 0, contradicted: 0 });
});

/** A bank that answers when `answer` is called. */
function slowBank() {
  const { promise, resolve } = Promise.withResolvers<BankTransferResult>();
  const bank = scriptedBank({ transfer: [success], executes: true });
  return {
    bank: { ...bank, transfer: async (request: { partnerReference: string }) => (await bank.transfer(request)) && promise },
    answer: resolve,
  };
}

test('a transfer whose rail takes its time is shown as pending meanwhile, and publishes the same events', async () => {
  const clock = createClock();
  const { bank, answer } = slowBank();
  const world = await withBank(bank, scriptedLedger(), clock);
  const order = newOrder(clock);
  const running = run(world, order);
  const find = () => world.find(order);
  await eventually('it is pending', async () => (await find())?.state.status === 'sent');
  answer(success);
  const end = await running;
  expect(end?.state).toMatchObject({ status: 'succeeded', balanceAfterSen: 87_500_00n });
  expect(eventsOf(end)).toEqual(['disbursement.accepted', 'disbursement.succeeded']);
  expect((await find())?.document.version).toBe(3n);
});

test('another process that takes a transfer up while the rail is called changes nothing of its end', async () => {
  const clock = createClock();
  const ledger = scriptedLedger();
  const { bank, answer } = slowBank();
  const world = await withBank(bank, ledger, clock);
  const order = newOrder(clock);
  const running = run(world, order);
  const find = () => world.find(order);
  await eventually('it is with the rail', () => bank.executed.size === 1);
  const before = await find();
  if (before === undefined) throw new Error('gone');
  expect(before.state.status).toBe('created');
  await onTransferDue(world.context, new Set(), before);
  const taken = await find();
  answer(success);
  const end = await running;
  expect(end?.document.version).toBe(taken?.document.version);
  expect(end?.state.status).toBe('succeeded');
  expect(eventsOf(end)).toEqual(['disbursement.accepted', 'disbursement.succeeded']);
  expect([Intent.HOLD, Intent.CAPTURE, Intent.RELEASE].map((intent) => ledger.of(intent).length)).toEqual([1, 1, 0]);
  expect(bank.executed.size).toBe(1);
  expect(world.counts).toMatchObject({ accepted: 1, finished: 1 });
});

test('a transfer that an earlier version has written down, without its request, is taken up', async () => {
  const clock = createClock();
  const bank = scriptedBank({ transfer: [success], executes: true });
  const world = await withBank(bank, scriptedLedger(), clock);
  const order = newOrder(clock);
  const { document } = await created(world, order);
  await world.context.transfers.aggregates.collection.updateOne(
    { _id: document._id },
    { $unset: { request: '', partner_reference: '' } },
  );
  expect((await untilDone(world, order))?.state.status).toBe('succeeded');
  expect([...bank.executed]).toEqual([order.transactionId]);
});

test('what the rail does not know is sent again on the day it was made, and goes to the operators after', async () => {
  const clock = createClock();
  const ledger = scriptedLedger();
  let sends = 0;
  const lost = {
    transfer: async (): Promise<BankTransferResult> => {
      sends++;
      return unknown;
    },
    inquireTransfer: async (): Promise<BankTransferInquiryResult> => ({ outcome: 'not_found' }),
  };
  const world = await withBank(lost, ledger, clock);
  const { context } = world;
  const waiting = await sendToRail(context, await holdFunds(context, await created(world, newOrder(clock))), { firstSend: true });
  const again = await inquire(context, waiting);
  expect(sends).toBe(2);
  if (again.state.status !== 'sent') throw new Error(`is ${again.state.status}`);
  const yesterday = {
    ...again,
    state: {
      ...again.state,
      request: again.state.request.replace(
        /"createdAtMs":(\d+)/,
        (_all, ms: string) => `"createdAtMs":${Number(ms) - 86_400_000}`,
      ),
    },
  };
  const late = await inquire(context, yesterday);
  expect(sends).toBe(2);
  expect(late.state).toMatchObject({ status: 'sent', unresolvedAtMs: expect.any(Number) });
  expect((await context.transfers.listUnresolved(10)).map(({ order }) => order.transactionId)).toContain(
    late.order.transactionId,
  );
});
