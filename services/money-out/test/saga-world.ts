import { create } from '@bufbuild/protobuf';
import { type Clock, newUlid, RefusalError, refuse } from '@gerbang/core';
import {
  Compensation,
  Intent,
  type LedgerService,
  type PostRequest,
  PostResponseSchema,
} from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { BankTransferRail } from '@gerbang/rails/bank-transfer';
import type { RpcClient } from '@gerbang/rpc';
import { connectStore, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll } from 'vitest';
import { createDisbursement } from '../src/disbursement/disbursement.ts';
import { toDetailFields } from '../src/disbursement/document.ts';
import type { SagaContext } from '../src/transfer/change.ts';
import type { DetailFields, StoredTransfer } from '../src/transfer/document.ts';
import { onTransferDue } from '../src/transfer/on-due.ts';
import type { Product, TransferOrder } from '../src/transfer/product.ts';
import { partnerReferenceOf } from '../src/transfer/rail-reference.ts';
import { openTransferStore, type TransferStore } from '../src/transfer/store.ts';

export const START_SEN = 100_000_00n;
export const AMOUNT_SEN = 10_000_00n;
export const FEE_SEN = 2_500_00n;
export const GROSS_SEN = AMOUNT_SEN + FEE_SEN;

export type TestLedger = ReturnType<typeof scriptedLedger>;

type Posting = Pick<PostRequest, 'postingKey' | 'intent' | 'amountSen' | 'feeSen' | 'compensation'>;

/**
 * A ledger with one account, by the rules of the real one: once per posting key, refusals burn it, other content under it is a
 * conflict.
 */
export function scriptedLedger(availableSen: bigint = START_SEN) {
  const balances = { available: availableSen, held: 0n, rail: 0n, fees: 0n };
  const results = new Map<string, { posting: Posting; refused: boolean; after: bigint }>();
  const move = ({ intent, amountSen, feeSen, compensation }: Posting): Partial<typeof balances> => {
    const gross = amountSen + feeSen;
    const isReturn = intent === Intent.COMPENSATE && compensation === Compensation.PAYOUT_RETURNED;
    const isPaid = intent === Intent.COMPENSATE && compensation === Compensation.PAYOUT_MADE;
    if (intent === Intent.HOLD) return { available: -gross, held: gross };
    if (intent === Intent.CAPTURE) return { held: -gross, rail: amountSen, fees: feeSen };
    if (intent === Intent.RELEASE) return { held: -gross, available: gross };
    if (isReturn) return { available: gross, rail: -amountSen, fees: -feeSen };
    if (isPaid) return { available: -gross, rail: amountSen, fees: feeSen };
    throw new Error(`no intent ${intent} is expected here`);
  };
  const post = async (request: Partial<Posting>) => {
    const { postingKey = '', intent = Intent.UNSPECIFIED, amountSen = 0n, feeSen = 0n } = request;
    const posting = { postingKey, intent, amountSen, feeSen, compensation: request.compensation ?? Compensation.UNSPECIFIED };
    const known = results.get(postingKey);
    if (known !== undefined && (known.posting.intent !== intent || known.posting.compensation !== posting.compensation))
      throw new RefusalError(refuse('posting_key_conflict'));
    if (known === undefined) {
      const { available = 0n, held = 0n, rail = 0n, fees = 0n } = move(posting);
      const refused = balances.available + available < 0n;
      if (balances.held + held < 0n) throw new Error('more than is held');
      if (!refused) {
        balances.available += available;
        balances.held += held;
        balances.rail += rail;
        balances.fees += fees;
      }
      results.set(postingKey, { posting, refused, after: balances.available });
    }
    const result = results.get(postingKey);
    if (result?.refused) throw new RefusalError(refuse('insufficient_balance'));
    return create(PostResponseSchema, { availableAfterSen: result?.after ?? 0n });
  };
  const booked = () => [...results.values()].filter(({ refused }) => !refused);
  return {
    post,
    balances,
    of: (intent: Intent) => booked().filter(({ posting }) => posting.intent === intent),
    keys: () => [...results.keys()],
  };
}

/** What the ledger has when the transfer was paid, or when the merchant has its money. */
export function ledgerWhen(isPaid: boolean, startSen = START_SEN) {
  return isPaid
    ? { available: startSen - GROSS_SEN, held: 0n, rail: AMOUNT_SEN, fees: FEE_SEN }
    : { available: startSen, held: 0n, rail: 0n, fees: 0n };
}

let count = 0;
export function newOrder(clock: Clock): TransferOrder {
  count++;
  const [accountId, referenceNumber] = ['01ARZ3NDEKTSV4RRFFQ69G5FAV', `ref-${count}`];
  return {
    transactionId: newUlid(clock.now()),
    merchantId: 'm1',
    partition: 'p0',
    accountId,
    referenceNumber,
    partnerReference: partnerReferenceOf(accountId, referenceNumber),
    contentHash: 'h',
    amountSen: AMOUNT_SEN,
    feeSen: FEE_SEN,
    quota: undefined,
    description: '',
    createdAtMs: clock.now(),
  };
}

export const DETAILS: DetailFields = toDetailFields({
  bankCode: '014',
  railBankCode: '014',
  bankName: 'Bank Central Asia',
  bankAccountNumber: '1234567890',
  bankAccountName: '',
});

export class Crash extends Error {}

/** Counts every step that leaves the process, and dies before or after the n-th. */
export function crashing(at: number, when: 'before' | 'after') {
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

export type Wrap = ReturnType<typeof crashing>['wrap'];

/** Ends quietly on a crash, as a process that dies does; anything else is an error. */
export async function surviving(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
}

/** Runs `once` with a crash before, then after, each of its steps; a run without a crash is the last one. */
export async function atEveryStep(once: (wrap: Wrap) => Promise<void>): Promise<number> {
  for (let at = 1; ; at++) {
    for (const when of ['before', 'after'] as const) {
      const { wrap, hit } = crashing(at, when);
      await once(wrap);
      if (!hit()) return at - 1;
    }
  }
}

/** How often each thing was counted. */
export function countingMetrics() {
  const counts = { accepted: 0, duplicated: 0, finished: 0, corrected: 0, contradicted: 0 };
  return {
    counts,
    metrics: {
      accepted: () => void counts.accepted++,
      possiblyDuplicated: () => void counts.duplicated++,
      limitRefused: () => {},
      finished: () => void counts.finished++,
      corrected: () => void counts.corrected++,
      contradicted: () => void counts.contradicted++,
      accountTransferred: () => {},
    },
  };
}

export function useSagaWorld(name: string) {
  let mongo: TestMongo;
  let store: Store;
  beforeAll(async () => {
    mongo = await startTestMongo();
    store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}${name}`, appName: 'test' });
  });
  afterAll(async () => {
    await store?.close();
    await mongo?.stop();
  });

  const contextOf = async (product: Product, ledger: Pick<TestLedger, 'post'>, clock: Clock, wrap?: Wrap) => {
    const transfers = await openTransferStore(store, [product], () => {});
    const unused = async () => {
      throw new Error('not part of this test');
    };
    const post: RpcClient<typeof LedgerService>['post'] = wrap === undefined ? ledger.post : wrap(ledger.post);
    const { counts, metrics } = countingMetrics();
    const context: SagaContext = {
      transfers: wrap === undefined ? transfers : withCrashes(transfers, wrap),
      ledger: { getBalance: unused, verify: unused, post },
      clock,
      log: testLog(),
      metrics,
      railTimeoutMs: 1_000,
    };
    /** As it stands, read around all crashes. */
    const find = ({ accountId, referenceNumber }: TransferOrder) =>
      transfers.find(accountId, referenceNumber, { linearizable: true });
    return { context, product, counts, find };
  };
  return {
    contextOf,
    withBank: (
      bank: Pick<BankTransferRail, 'transfer' | 'inquireTransfer'>,
      ledger: Pick<TestLedger, 'post'>,
      clock: Clock,
      wrap?: Wrap,
    ) => contextOf(createDisbursement(bank), ledger, clock, wrap),
  };
}

export type SagaWorld = Awaited<ReturnType<ReturnType<typeof useSagaWorld>['contextOf']>>;

export function insert({ context, product }: SagaWorld, order: TransferOrder, details = DETAILS) {
  const request = product.requestOf(order, details, Date.now());
  return context.transfers.insert(product, order, details, request);
}

/** Fires the transfer's timer, over crashes, until it has none; gives its end, or undefined when it is gone. */
export async function untilDone({ context, find }: SagaWorld, order: TransferOrder): Promise<StoredTransfer | undefined> {
  for (let round = 0; round < 12; round++) {
    const now = await find(order);
    if (now?.document.due_at === undefined) return now;
    await surviving(onTransferDue(context, new Set(), now));
  }
  throw new Error('no end');
}

export function withCrashes(transfers: TransferStore, wrap: Wrap): TransferStore {
  return {
    ...transfers,
    insert: wrap(transfers.insert),
    apply: wrap(transfers.apply),
    find: wrap(transfers.find),
    remove: wrap(transfers.remove),
    markCounted: wrap(transfers.markCounted),
    spendings: { ...transfers.spendings, count: wrap(transfers.spendings.count) },
  };
}

/** The types of the events that the notifier has yet to confirm, oldest first. */
export function eventsOf(transfer: StoredTransfer | undefined): string[] {
  return transfer?.document.tail.map(({ event }) => event) ?? [];
}
