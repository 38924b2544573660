import { create } from '@bufbuild/protobuf';
import { type Clock, createClock, newUlid, RefusalError, refuse } from '@gerbang/core';
import { Intent, type LedgerService, PostResponseSchema } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { BankTransferInquiryResult, BankTransferRail, BankTransferResult } from '@gerbang/rails';
import type { RpcClient } from '@gerbang/rpc';
import { connectStore, type Store } from '@gerbang/store';
import { eventually, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onTransferDue } from '../src/transfer/on-due.ts';
import { toRequest, writeRequest } from '../src/transfer/rail-request.ts';
import { holdFunds, inquire, type SagaContext, sendToRail, settle, writeSent } from '../src/transfer/saga.ts';
import { openTransferStore, type TransferStore } from '../src/transfer/store.ts';
import type { StoredTransfer, TransferOrder } from '../src/transfer/stored-transfer.ts';
import { isFinal } from '../src/transfer/transfer.ts';

let mongo: TestMongo;
let store: Store;
let transfers: TransferStore;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}saga`, appName: 'test' });
  transfers = await openTransferStore(store, () => {});
});

afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

type Posted = { intent: Intent; amountSen: bigint; feeSen: bigint };

/** A ledger with one account, once per posting key, as the real one promises. */
function scriptedLedger(availableSen: bigint) {
  const results = new Map<string, Posted & { refused: boolean; after: bigint }>();
  let available = availableSen;
  const post = async (request: { postingKey?: string; intent?: Intent; amountSen?: bigint; feeSen?: bigint }) => {
    const { postingKey = '', intent = Intent.UNSPECIFIED, amountSen = 0n, feeSen = 0n } = request;
    const known = results.get(postingKey);
    if (known !== undefined && known.intent !== intent) throw new RefusalError(refuse('posting_key_conflict'));
    const gross = amountSen + feeSen;
    const result = known ?? { intent, amountSen, feeSen, refused: intent === Intent.HOLD && available < gross, after: 0n };
    if (known === undefined) {
      if (!result.refused && intent === Intent.HOLD) available -= gross;
      if (intent === Intent.RELEASE) available += gross;
      result.after = available;
      results.set(postingKey, result);
    }
    if (result.refused) throw new RefusalError(refuse('insufficient_balance'));
    return create(PostResponseSchema, { availableAfterSen: result.after });
  };
  const of = (intent: Intent) => [...results.values()].filter((result) => result.intent === intent && !result.refused);
  return { post, of, available: () => available };
}

/** A bank that executes each reference once and answers as told, in order; the last answer goes on. */
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
        : { outcome: 'failed', code: '4031814', reason: 'no', beneficiaryUnknown: false };
    },
  };
  return bank;
}

let count = 0;
function newOrder(clock: Clock): TransferOrder {
  count++;
  return {
    transactionId: newUlid(clock.now()),
    merchantId: 'm1',
    partition: 'p0',
    accountId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    referenceNumber: `ref-${count}`,
    contentHash: 'h',
    amountSen: 10_000_00n,
    feeSen: 2_500_00n,
    bankCode: '014',
    railBankCode: '014',
    bankName: 'Bank Central Asia',
    bankAccountNumber: '1234567890',
    bankAccountName: '',
    description: '',
    createdAtMs: clock.now(),
  };
}

function insert(into: TransferStore, order: TransferOrder): Promise<StoredTransfer | undefined> {
  return into.insert(order, writeRequest(toRequest(order, Date.now())));
}

function contextWith(
  ledger: Pick<RpcClient<typeof LedgerService>, 'post'>,
  bank: Pick<BankTransferRail, 'transfer' | 'inquireTransfer'>,
  clock: Clock,
): SagaContext {
  const unused = async () => {
    throw new Error('not part of this test');
  };
  return {
    transfers,
    ledger: { getBalance: unused, verify: unused, ...ledger },
    rail: { inquireAccount: unused, close: async () => {}, ...bank },
    clock,
    log: testLog(),
    metrics: { accepted() {}, finished() {}, contradicted() {}, accountTransferred() {} },
    railTimeoutMs: 1_000,
  };
}

class Crash extends Error {}

/** Counts every step that leaves the process, and dies before or after the n-th. */
function crashing(at: number, when: 'before' | 'after') {
  let step = 0;
  let armed = true;
  const wrap =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      step++;
      const now = armed && step === at;
      if (now) armed = false;
      if (now && when === 'before') throw new Crash();
      const result = await work(...args);
      if (now && when === 'after') throw new Crash();
      return result;
    };
  return { wrap, hit: () => !armed };
}

/** As the service does it: a request, then timers until the end. A crash at any await ends the request; the timer takes the transfer up again. */
async function run(context: SagaContext, order: TransferOrder): Promise<StoredTransfer | undefined> {
  try {
    const created = await insert(context.transfers, order);
    if (created !== undefined) await sendToRail(context, await holdFunds(context, created), { firstSend: true });
  } catch (error) {
    if (!(error instanceof Crash) && !(error instanceof RefusalError)) throw error;
  }
  for (let round = 0; round < 10; round++) {
    const now = await transfers.find(order.accountId, order.referenceNumber, { linearizable: true });
    if (now === undefined || isFinal(now.state)) return now;
    await onTransferDue(context, new Set(), now).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
  }
  throw new Error('no end');
}

const success: BankTransferResult = { outcome: 'succeeded', railReference: 'r' };
const failure: BankTransferResult = { outcome: 'failed', code: '4031814', reason: 'no', beneficiaryUnknown: false };
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
    const ledger = scriptedLedger(100_000_00n);
    const bank = scriptedBank({ transfer: [...script.transfer], executes: script.executes });
    const { wrap } = crashing(at, when);
    const context = contextWith(
      { post: wrap(ledger.post) },
      { transfer: wrap(bank.transfer), inquireTransfer: wrap(bank.inquireTransfer) },
      clock,
    );
    const crashingStore: TransferStore = {
      ...transfers,
      insert: wrap(transfers.insert),
      apply: wrap(transfers.apply),
      find: wrap(transfers.find),
    };
    const order = newOrder(clock);
    const end = await run({ ...context, transfers: crashingStore }, order);

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
    expect(ledger.available()).toBe(expected === 'succeeded' ? 87_500_00n : 100_000_00n);
    const events = end.document.tail.map(({ event }) => event);
    expect(events).toEqual(['disbursement.accepted', `disbursement.${expected}`]);
  });
});

test('without the balance nothing is left, and the reference is free', async () => {
  const clock = createClock();
  const poor = contextWith(scriptedLedger(0n), scriptedBank({ transfer: [success], executes: true }), clock);
  const order = newOrder(clock);
  expect(await run(poor, order)).toBeUndefined();
  const rich = contextWith(scriptedLedger(100_000_00n), scriptedBank({ transfer: [success], executes: true }), clock);
  expect((await run(rich, { ...order, transactionId: newUlid(clock.now()) }))?.state.status).toBe('succeeded');
});

test('of contradicting answers the first one moves money; the second one raises an alert', async () => {
  const clock = createClock();
  const ledger = scriptedLedger(100_000_00n);
  let contradictions = 0;
  const context = contextWith(ledger, scriptedBank({ transfer: [success], executes: true }), clock);
  const alerting = { ...context, metrics: { ...context.metrics, contradicted: () => contradictions++ } };
  const created = await insert(transfers, newOrder(clock));
  if (created === undefined) throw new Error('taken');
  const sent = await writeSent(alerting, await holdFunds(alerting, created));
  const refused: SagaContext = {
    ...alerting,
    rail: {
      ...alerting.rail,
      inquireTransfer: async () => ({ outcome: 'failed', code: 'x', reason: 'x', beneficiaryUnknown: false }),
    },
  };
  await settle(alerting, sent, success);
  await expect(inquire(refused, sent)).rejects.toMatchObject({ refusal: { refused: 'posting_key_conflict' } });
  expect(contradictions).toBe(1);
  expect(ledger.of(Intent.RELEASE)).toEqual([]);
});

/** A bank that answers when told to. */
function slowBank() {
  const { promise, resolve } = Promise.withResolvers<BankTransferResult>();
  const bank = scriptedBank({ transfer: [success], executes: true });
  return {
    bank: { ...bank, transfer: async (request: { partnerReference: string }) => (await bank.transfer(request)) && promise },
    answer: resolve,
  };
}

test('a transfer whose rail takes its time is seen as pending meanwhile, and announced as one that does not', async () => {
  const clock = createClock();
  const { bank, answer } = slowBank();
  const context = contextWith(scriptedLedger(100_000_00n), bank, clock);
  const order = newOrder(clock);
  const running = run(context, order);
  const find = () => transfers.find(order.accountId, order.referenceNumber);
  await eventually('it is pending', async () => (await find())?.state.status === 'sent');
  answer(success);
  const end = await running;
  expect(end?.state).toMatchObject({ status: 'succeeded', balanceAfterSen: 87_500_00n });
  expect(end?.document.tail.map(({ event }) => event)).toEqual(['disbursement.accepted', 'disbursement.succeeded']);
  expect((await find())?.document.version).toBe(3n);
});

test('another process that takes a transfer up while the rail is called changes nothing of its end', async () => {
  const clock = createClock();
  const ledger = scriptedLedger(100_000_00n);
  const { bank, answer } = slowBank();
  const context = contextWith(ledger, bank, clock);
  const order = newOrder(clock);
  const running = run(context, order);
  const find = () => transfers.find(order.accountId, order.referenceNumber, { linearizable: true });
  await eventually('it is with the rail', () => bank.executed.size === 1);
  const created = await find();
  if (created === undefined) throw new Error('gone');
  expect(created.state.status).toBe('created');
  await onTransferDue(context, new Set(), created);
  const taken = await find();
  answer(success);
  const end = await running;
  expect(end?.document.version).toBe(taken?.document.version);
  expect(end?.state.status).toBe('succeeded');
  expect(end?.document.tail.map(({ event }) => event)).toEqual(['disbursement.accepted', 'disbursement.succeeded']);
  expect([Intent.HOLD, Intent.CAPTURE, Intent.RELEASE].map((intent) => ledger.of(intent).length)).toEqual([1, 1, 0]);
  expect(bank.executed.size).toBe(1);
});

test('a transfer that an instance of the version before has written down, without its request, is taken up', async () => {
  const clock = createClock();
  const bank = scriptedBank({ transfer: [success], executes: true });
  const context = contextWith(scriptedLedger(100_000_00n), bank, clock);
  const order = newOrder(clock);
  const _id = `${order.accountId}:${order.referenceNumber}`;
  await insert(transfers, order);
  await transfers.aggregates.collection.updateOne({ _id }, { $unset: { request: '' } });
  const created = await transfers.find(order.accountId, order.referenceNumber);
  if (created === undefined) throw new Error('gone');
  await onTransferDue(context, new Set(), created);
  expect((await transfers.find(order.accountId, order.referenceNumber))?.state.status).toBe('succeeded');
  expect([...bank.executed]).toEqual([order.transactionId]);
});

test('what the rail does not know is sent again on the day it was made, and goes to the operators after', async () => {
  const clock = createClock();
  const ledger = scriptedLedger(100_000_00n);
  let sends = 0;
  const lost = {
    transfer: async (): Promise<BankTransferResult> => {
      sends++;
      return unknown;
    },
    inquireTransfer: async (): Promise<BankTransferInquiryResult> => ({ outcome: 'not_found' }),
  };
  const context = contextWith(ledger, lost, clock);
  const created = await insert(transfers, newOrder(clock));
  if (created === undefined) throw new Error('taken');
  const waiting = await sendToRail(context, await holdFunds(context, created), { firstSend: true });
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
  expect((await transfers.listUnresolved(10)).map(({ order }) => order.transactionId)).toContain(late.order.transactionId);
});
