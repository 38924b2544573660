import { createClock, newUlid } from '@gerbang/core';
import type { HistoryRow, RailHistory } from '@gerbang/rails';
import { openReconciliations } from '@gerbang/reconciliation';
import { createMetrics } from '@gerbang/runtime';
import type { OperatorGate } from '@gerbang/service/operators';
import { connectStore, type Store } from '@gerbang/store';
import { eventually, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPaymentDocument, type StoredPaymentDocument, stateChange } from '../src/payment/document.ts';
import { paymentId } from '../src/payment/own.ts';
import type { Authorisation, Capture, PaymentOrder, PaymentState, TakenBack } from '../src/payment/state.ts';
import { openPaymentStore, PAYMENTS, type PaymentStore } from '../src/payment/store.ts';
import { toOurCapture, toOurRefund } from '../src/reconciliation/our-payment.ts';
import { readCaptures } from '../src/reconciliation/payments.ts';
import { reconciledRails } from '../src/reconciliation/rails.ts';

const DAY = '2026-11-21';
const FROM_MS = Date.parse(`${DAY}T00:00:00+07:00`);
const DAY_MS = 86_400_000;
const AMOUNT = 250_000_00n;

let mongo: TestMongo;
let store: Store;
let payments: PaymentStore;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}reconciled`, appName: 'test' });
  payments = await openPaymentStore(store, () => {});
});
afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

const fees = { feeSen: 5_000_00n, netSen: 245_000_00n, vendorFeeSen: 0n, basisPoints: 200 };
const authorisationOf = (captureAtMs: number): Authorisation => ({
  acquirerReference: 'a-1',
  approvalCode: '',
  authorisedAtMs: captureAtMs - 30_000,
  captureAtMs,
  networkTransactionId: '',
  fees,
});
const captureOf = (atMs: number): Capture => ({ capturedAtMs: atMs, settleAtMs: atMs, settledAtMs: atMs, refundAttempts: 0 });
const settled = (atMs: number): PaymentState => {
  return { status: 'settled', authorisation: authorisationOf(atMs), capture: captureOf(atMs), refused: undefined };
};

/** A payment as it is stored, whose capture is, or would be, at a time. */
function documentOf(atMs: number, state: PaymentState, over: Partial<StoredPaymentDocument> = {}): StoredPaymentDocument {
  const order: PaymentOrder = {
    id: paymentId(newUlid(atMs)),
    merchantId: 'm',
    accountId: 'a',
    partition: 'p0',
    merchantName: 'Toko',
    amountSen: AMOUNT,
    maskedCard: '481111******1114',
    brand: 'VISA',
    cardHolderName: 'BUDI',
    installment: 1,
    installmentMonths: 1,
    customer: { name: 'Budi', email: 'b@example.com', phone: '0812' },
    merchantReffNo: '',
    redirectUrl: '',
    createdAtMs: atMs - 31_000,
  };
  const { due_at: _, ...fields } = newPaymentDocument(order, 0);
  const aggregate = { _id: order.id, schema: 1, version: 1n, incarnation: 'i', last_seq: 0n, merchant_id: 'm', tail: [] };
  const document = { ...fields, ...aggregate };
  return { ...document, ...stateChange(state, document).set, ...over };
}

const rowOf = ({ _id }: { _id: string }, atMs: number, over: Partial<HistoryRow> = {}): HistoryRow => ({
  atMs,
  amountSen: AMOUNT,
  direction: 'in',
  status: 'booked',
  remark: _id,
  ourReference: _id,
  railTransactionId: `t-${_id}`,
  ...over,
});

function memoryHistory(rows: readonly HistoryRow[]): RailHistory {
  return {
    sliceMs: 3_600_000,
    async *list({ fromMs, toMs }) {
      yield* rows.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).toSorted((a, b) => b.atMs - a.atMs);
    },
    close: async () => {},
  };
}

const authorisation = authorisationOf(FROM_MS);
const captured = { authorisation, capture: captureOf(FROM_MS) };
const asked = { tries: 90, waitingFor: 'no answer' };
const refund = { attempt: 1, fromPendingSen: 0n, fromAvailableSen: AMOUNT };
const taken = (said: TakenBack) => ({ attempt: 1, takenFrom: 'account' as const, said });

const refuse = () => Promise.reject(new Error('no operator is part of this test'));
const gate: OperatorGate = { service: 'cards', log: testLog(), begin: refuse, finish: refuse, checkOperator: refuse };

test('a day of 5,000 rows has the planted differences and no other, and two replicas compare it once', async () => {
  const at = (i: number) => FROM_MS + 60_000 + i * 16_000;
  const captured = Array.from({ length: 5_000 }, (_, i) => documentOf(at(i), settled(at(i))));
  const pick = (i: number) => captured[i] ?? expect.fail('no such payment');
  const rows = captured.map((document, i) => rowOf(document, at(i)));
  const rowAt = (i: number) => rows[i] ?? expect.fail('no such row');

  // Not at the acquirer; right then another row of the same amount, which is of no payment of ours.
  rows[10] = rowOf({ _id: `99${newUlid(at(10))}` }, at(10));
  // Taken over another amount, and given up there.
  rows[20] = { ...rowAt(20), amountSen: AMOUNT - 1_00n };
  rows[30] = { ...rowAt(30), status: 'canceled' };
  // Failed here, taken there. Open here for a day, not there.
  const failed = documentOf(at(40), { status: 'failed', code: '05', reason: '', endedAtMs: at(40) });
  rows.push(rowOf(failed, at(40)));
  const capturing: PaymentState = { status: 'capturing', authorisation: authorisationOf(at(50)), asked };
  const open = documentOf(at(50), capturing, { asked_at: new Date(at(50)) });
  // Refunded forty days after its capture, in order; given back there only; given back here only.
  const oldMs = FROM_MS - 40 * DAY_MS;
  const refunded: PaymentState = {
    status: 'refunded',
    authorisation: authorisationOf(oldMs),
    capture: captureOf(oldMs),
    refund,
    endedAtMs: at(60),
  };
  const givenBack = { given_back_at: new Date(at(60)) };
  const [inOrder, notThere] = [documentOf(oldMs, refunded, givenBack), documentOf(oldMs, refunded, givenBack)];
  const backRow = (document: { _id: string }) => rowOf(document, at(60), { direction: 'out', railTransactionId: 'r' });
  rows.push(backRow(inOrder), backRow(pick(70)));
  await store.collection<StoredPaymentDocument>(PAYMENTS).insertMany([...captured, failed, open, inOrder, notThere]);

  const clock = createClock(() => FROM_MS);
  const railsOf = () => reconciledRails({ payments, nowMs: clock.now, openHistory: () => memoryHistory(rows) });
  const replicas = await Promise.all(
    [1, 2].map(() =>
      openReconciliations({ store, rails: railsOf(), clock, gate, registry: createMetrics('test'), log: testLog() }),
    ),
  );
  clock.setOffset(at(50) + 26 * 3_600_000 - FROM_MS);
  type Day = { _id: string; status: string; run: number; result: { matched: number; open: number; differences: number } };
  const day = (rail: string) =>
    eventually(`${rail} is compared`, async () => {
      const found = await store.collection<Day>('reconciliations').findOne({ _id: `${rail}:${DAY}` });
      return found?.status === 'done' ? found : undefined;
    });
  const [captures, refunds] = [await day('card'), await day('card-refund')];
  await Promise.all(replicas.map((replica) => replica.close()));

  expect([captures.run, refunds.run]).toEqual([1, 1]);
  type Found = { rail: string; kind: string; payment_id: string; row?: { remark: string } };
  const found = await store.collection<Found>('reconciliation_differences').find({}).toArray();
  const shown = found.map(({ rail, kind, payment_id, row }) => `${rail} ${kind} ${payment_id || '-'} ${row?.remark ?? '-'}`);
  const [ten, twenty, thirty, seventy] = [pick(10)._id, pick(20)._id, pick(30)._id, pick(70)._id];
  expect(shown.sort()).toEqual(
    [
      `card missing-at-rail ${ten} -`,
      `card missing-here - ${rowAt(10).remark}`,
      `card amount ${twenty} ${twenty}`,
      `card status ${thirty} ${thirty}`,
      `card status ${failed._id} ${failed._id}`,
      `card status ${open._id} -`,
      `card-refund missing-here - ${seventy}`,
      `card-refund missing-at-rail ${notThere._id} -`,
    ].sort(),
  );
  // All but those whose row is another's, of another amount or canceled.
  expect([captures.result.matched, refunds.result.matched]).toEqual([4_997, 1]);
});

test('captures are read in the order of time from both their lists, each once', async () => {
  const [fromMs, count] = [FROM_MS + 30 * DAY_MS, 1_200];
  const documents = Array.from({ length: count }, (_, i) => {
    const atMs = fromMs + 60_000 + Math.floor(i / 3) * 1_000;
    if (i % 2 === 0) return documentOf(atMs, settled(atMs));
    return documentOf(atMs, { status: 'failed', code: '05', reason: '', endedAtMs: atMs });
  });
  await store.collection<StoredPaymentDocument>(PAYMENTS).insertMany(documents);
  const reading = { listMoved: payments.listMoved, nowMs: () => fromMs + DAY_MS };
  const read: { id: string; readToMs: number }[] = [];
  for await (const { payment, readToMs } of readCaptures(reading, { fromMs, toMs: fromMs + DAY_MS }, undefined))
    read.push({ id: payment.id, readToMs });
  expect(new Set(read.map(({ id }) => id))).toEqual(new Set(documents.map(({ _id }) => _id)));
  expect(read).toHaveLength(count);
  expect(read.every(({ readToMs }, i) => i === 0 || readToMs >= (read[i - 1]?.readToMs ?? 0))).toBe(true);
  const others: string[] = [];
  for await (const { payment } of readCaptures(reading, { fromMs, toMs: fromMs + DAY_MS }, [AMOUNT + 1n]))
    others.push(payment.id);
  expect(others).toEqual([]);
});

test.each<[PaymentState, string, string | undefined]>([
  [{ status: 'created' }, 'not-done', undefined],
  [{ status: 'authorising', sentAtMs: 1, asked }, 'open', undefined],
  [{ status: 'authorised', authorisation, refused: undefined }, 'open', undefined],
  [{ status: 'capturing', authorisation, asked }, 'open', undefined],
  [{ status: 'cancelled', authorisation, endedAtMs: 9 }, 'not-done', undefined],
  [{ status: 'failed', code: '', reason: '', endedAtMs: 9 }, 'not-done', undefined],
  [{ status: 'releasing', code: '', reason: '', endedAtMs: 9, asked }, 'open', undefined],
  [{ status: 'settled', ...captured, refused: undefined }, 'done', undefined],
  [{ status: 'refunding', ...captured, refund, asked }, 'done', 'open'],
  [{ status: 'returning', ...captured, refund, reason: '' }, 'done', undefined],
  [{ status: 'refunded', ...captured, refund, endedAtMs: 9 }, 'done', 'done'],
  [{ status: 'contested', ...captured, reason: '', endedAtMs: 9, withdrawal: taken('refunded') }, 'done', 'done'],
  [{ status: 'withdrawn', ...captured, reason: '', endedAtMs: 9, withdrawal: taken('voided') }, 'not-done', undefined],
  [{ status: 'written-off', ...captured, reason: '', endedAtMs: 9, withdrawal: taken('refunded') }, 'done', 'done'],
])('$0.status: its capture is %2$s, its refund %3$s', (state, ofCapture, ofRefund) => {
  const stored = payments.fromDocument(documentOf(FROM_MS, state, { given_back_at: new Date(FROM_MS) }));
  expect(toOurCapture(stored, FROM_MS)).toMatchObject({
    direction: 'in',
    amountSen: AMOUNT,
    standing: ofCapture,
    keys: [stored.order.id],
  });
  expect(toOurRefund(stored, FROM_MS)?.standing).toBe(ofRefund);
});
