import { create, fromBinary } from '@bufbuild/protobuf';
import { createClock } from '@gerbang/core';
import { prepaidToken } from '@gerbang/keys';
import { PurchaseFinishedSchema, PurchaseStatus, ResolvePurchaseRequestSchema } from '@gerbang/proto/gerbang/biller/v1/biller';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { PrepaidPurchaseResult } from '@gerbang/rails/prepaid';
import { operatorCall, type RecordedChange } from '@gerbang/testkit/operator-gate';
import { describe, expect, test } from 'vitest';
import { parseCutOff } from '../src/cut-off.ts';
import type { StoredPurchaseDocument } from '../src/purchase/document.ts';
import { settle } from '../src/purchase/saga.ts';
import { PURCHASES } from '../src/purchase/store.ts';
import { listUnresolvedPurchases } from '../src/resolution/rpc/list-unresolved.ts';
import { resolvePurchase } from '../src/resolution/rpc/resolve.ts';
import {
  ACCOUNT,
  failure,
  fire,
  inquire,
  keys,
  ledgerWhen,
  newToken,
  OTHER_ACCOUNT,
  PRICE_SEN,
  pay,
  type Replica,
  refusalOf,
  START_SEN,
  scriptedBiller,
  scriptedLedger,
  silence,
  success,
  untilDone,
  useBiller,
} from './world.ts';

const { open, store } = useBiller('purchase');
const MINUTE = 60_000;

describe('a payment', () => {
  test('debits once per reference, with concurrent requests on two replicas, and all of them get the one token', async () => {
    const [biller, ledger] = [scriptedBiller(success(newToken())), scriptedLedger()];
    const [one, two] = [await open(biller, ledger), await open(biller, ledger)];
    const { referenceNumber } = await inquire(one);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => pay(i % 2 === 0 ? one : two, referenceNumber)));
    await untilDone(one, referenceNumber);
    expect([ledger.of(Intent.HOLD), ledger.of(Intent.CAPTURE)]).toEqual([1, 1]);
    expect(ledger.balances).toEqual(ledgerWhen(true));
    const { token, purchase } = await pay(two, referenceNumber);
    expect([token, purchase?.status, purchase?.accountId]).toMatchObject([/^[0-9]{20}$/, PurchaseStatus.SUCCESS, ACCOUNT]);
    for (const answer of answers) expect(['', token]).toContain(answer.token);
  });

  test('is refused from another account, and answered after the reference has expired', async () => {
    const clock = createClock();
    const replica = await open(scriptedBiller(), scriptedLedger(), { clock });
    const { referenceNumber } = await inquire(replica);
    const { token } = await pay(replica, referenceNumber, { accountId: ACCOUNT });
    clock.setOffset(20 * MINUTE);
    expect((await pay(replica, referenceNumber)).token).toBe(token);
    expect(await refusalOf(pay(replica, referenceNumber, { accountId: OTHER_ACCOUNT }))).toEqual(['validation', ['account_id']]);
    expect(await refusalOf(pay(replica, referenceNumber, { command: 'pulsa' }))).toEqual(['validation', ['command']]);
    expect(await refusalOf(pay(replica, referenceNumber, { merchantId: 'm2' }))).toEqual(['validation', ['reference_number']]);
  });

  test('needs a reference of its own merchant that lives: 15 minutes', async () => {
    const clock = createClock();
    const ledger = scriptedLedger();
    const replica = await open(scriptedBiller(), ledger, { clock });
    const [early, late] = [await inquire(replica), await inquire(replica)];
    expect(late.expiresAtMs - late.createdAtMs).toBe(BigInt(15 * MINUTE));
    for (const call of [pay(replica, 'unknown'), pay(replica, early.referenceNumber, { merchantId: 'm2' })])
      expect(await refusalOf(call)).toEqual(['validation', ['reference_number']]);
    clock.setOffset(14 * MINUTE);
    expect((await pay(replica, early.referenceNumber)).token).not.toBe('');
    clock.setOffset(15 * MINUTE);
    expect(await refusalOf(pay(replica, late.referenceNumber))).toEqual(['validation', ['reference_number']]);
    expect(ledger.of(Intent.HOLD)).toBe(1);
  });

  test('without the balance leaves no trace, and the reference can be paid when there is some', async () => {
    const biller = scriptedBiller();
    const poor = await open(biller, scriptedLedger(PRICE_SEN - 1n));
    const { referenceNumber } = await inquire(poor);
    expect(await refusalOf(pay(poor, referenceNumber))).toEqual(['insufficient_balance', []]);
    expect([biller.calls, await poor.find(referenceNumber)]).toEqual([0, undefined]);
    const rich = await open(biller, scriptedLedger(PRICE_SEN));
    expect((await pay(rich, referenceNumber)).purchase?.status).toBe(PurchaseStatus.SUCCESS);
  });

  test('that has failed is answered as failed, and the price is available again', async () => {
    const ledger = scriptedLedger();
    const replica = await open(scriptedBiller(failure), ledger);
    const { referenceNumber } = await inquire(replica);
    for (let i = 0; i < 2; i++) {
      const { purchase, token } = await pay(replica, referenceNumber);
      expect(purchase).toMatchObject({ status: PurchaseStatus.FAILED, failedCode: '4039605', failedReason: 'no' });
      expect(token).toBe('');
    }
    expect(ledger.balances).toEqual(ledgerWhen(false));
  });

  test('keeps the price of its inquiry when the product gets dearer', async () => {
    const ledger = scriptedLedger();
    const replica = await open(scriptedBiller(), ledger);
    const before = await inquire(replica, { productCode: 'PLN20' });
    const now = await replica.context.products.find('PLN20', Date.now());
    if (now === undefined) throw new Error('there is no PLN20');
    await replica.context.products.set({ ...now, adminSen: 9_000_00n, effectiveFromMs: Date.now() });
    expect((await inquire(replica, { productCode: 'PLN20' })).adminSen).toBe(9_000_00n);
    await pay(replica, before.referenceNumber);
    expect(ledger.balances.available).toBe(START_SEN - 22_500_00n);
  });

  test('of mobile credit has a serial number and no token', async () => {
    const replica = await open(scriptedBiller({ ...success(), token: undefined }), scriptedLedger());
    const { referenceNumber } = await inquire(replica, { command: 'pulsa', productCode: 'PULSA25', customerId: '081234567890' });
    const { purchase, token } = await pay(replica, referenceNumber, { command: 'pulsa' });
    expect([purchase?.serialNumber, token]).toEqual(['SN1', '']);
  });

  test('with an Idempotency-Key is answered again, from what is stored sealed', async () => {
    const replica = await open(scriptedBiller(), scriptedLedger());
    const { referenceNumber } = await inquire(replica);
    const idempotencyKey = { key: 'k', route: 'POST /payment', bodyHash: referenceNumber };
    const first = await pay(replica, referenceNumber, { idempotencyKey });
    const again = await pay(replica, referenceNumber, { idempotencyKey });
    expect(again).toEqual({ ...first, replayed: true });
    expect(await refusalOf(pay(replica, referenceNumber, { idempotencyKey: { ...idempotencyKey, bodyHash: 'other' } }))).toEqual([
      'idempotency_key_reused',
      [],
    ]);
    for (const name of ['purchases', 'idempotency_keys', 'given_tokens', 'inquiries']) {
      const stored = await store().collection(name).find({}).toArray();
      const bytes = stored.map(textsOf).join();
      expect([bytes.includes(referenceNumber), bytes.includes(first.token)], name).toEqual([true, false]);
    }
  });
});

describe('a biller that does not answer', () => {
  test('leaves the purchase pending; the same request again finds the end, which is published once', async () => {
    const [biller, ledger] = [scriptedBiller(success(newToken()), silence), scriptedLedger()];
    const replica = await open(biller, ledger);
    const { referenceNumber } = await inquire(replica);
    const pending = await pay(replica, referenceNumber);
    expect([pending.purchase?.status, pending.token]).toEqual([PurchaseStatus.PENDING, '']);
    expect(ledger.balances.held).toBe(PRICE_SEN);
    const end = await fire(replica, referenceNumber);
    const { token } = await pay(replica, referenceNumber);
    expect(token).toMatch(/^[0-9]{20}$/);
    const finished = end?.document.tail.at(-1);
    expect(finished?.event).toBe('biller-payment.succeeded');
    const { purchase, sealedToken } = fromBinary(PurchaseFinishedSchema, finished?.payload.buffer ?? new Uint8Array());
    expect(purchase?.status).toBe(PurchaseStatus.SUCCESS);
    expect(await keys.open(prepaidToken(referenceNumber), sealedToken)).toBe(token);
    expect([biller.calls, replica.counts.finished]).toEqual([2, 1]);
  });

  test('is asked by two replicas at once, and the money moves once', async () => {
    const [biller, ledger] = [scriptedBiller(failure, silence), scriptedLedger()];
    const [one, two] = [await open(biller, ledger), await open(biller, ledger)];
    const { referenceNumber } = await inquire(one);
    await pay(one, referenceNumber);
    await Promise.all([fire(one, referenceNumber), fire(two, referenceNumber), fire(two, referenceNumber)]);
    expect([ledger.of(Intent.RELEASE), one.counts.finished + two.counts.finished]).toEqual([1, 1]);
    expect(ledger.balances).toEqual(ledgerWhen(false));
  });

  test('for an hour goes to the operators, and is asked on', async () => {
    const clock = createClock();
    const biller = scriptedBiller(silence);
    const replica = await open(biller, scriptedLedger(), { clock });
    const { referenceNumber } = await inquire(replica);
    await pay(replica, referenceNumber);
    expect(await queued(replica, referenceNumber)).toBeUndefined();
    clock.setOffset(60 * MINUTE);
    await fire(replica, referenceNumber);
    expect(await queued(replica, referenceNumber)).toMatchObject({ reason: 'no answer in time', proposedBy: '' });
    biller.decides = success(newToken());
    await fire(replica, referenceNumber);
    expect(await queued(replica, referenceNumber)).toBeUndefined();
    expect((await pay(replica, referenceNumber)).token).not.toBe('');
  });
});

test('a token that another purchase has got is not handed out again, nor charged, and alerts once', async () => {
  const [biller, ledger] = [scriptedBiller(success(newToken())), scriptedLedger()];
  const replica = await open(biller, ledger);
  const [first, second] = [await inquire(replica), await inquire(replica)];
  const { token } = await pay(replica, first.referenceNumber);
  const again = await pay(replica, second.referenceNumber);
  expect([again.purchase?.status, again.token]).toEqual([PurchaseStatus.PENDING, '']);
  await fire(replica, second.referenceNumber);
  expect([ledger.of(Intent.CAPTURE), ledger.balances.held, replica.counts.duplicates]).toEqual([1, PRICE_SEN, 1]);
  expect(await queued(replica, second.referenceNumber)).toMatchObject({ reason: expect.stringContaining('another purchase') });
  // Not even operators can give it out.
  await resolve(replica, second.referenceNumber, 'ana', 'succeeded', token);
  expect(await refusalOf(resolve(replica, second.referenceNumber, 'budi', 'succeeded', token))).toEqual([
    'validation',
    ['token'],
  ]);
  const right = newToken();
  await resolve(replica, second.referenceNumber, 'ana', 'succeeded', right);
  expect(await resolve(replica, second.referenceNumber, 'budi', 'succeeded', right)).toEqual({ decided: true });
  expect((await pay(replica, second.referenceNumber)).token).toBe(right);
  expect([ledger.of(Intent.CAPTURE), ledger.balances.held]).toEqual([2, 0n]);
});

describe('two operators', () => {
  test('decide a purchase that stays unknown: both the same, with the same token', async () => {
    const ledger = scriptedLedger();
    const { replica, referenceNumber } = await unresolved(ledger);
    const token = newToken();
    expect(await refusalOf(resolve(replica, referenceNumber, 'ana', 'succeeded', ''))).toEqual(['validation', ['token']]);
    expect(await refusalOf(resolve(replica, referenceNumber, 'ana', 'failed', token))).toEqual(['validation', ['token']]);
    expect(await refusalOf(resolve(replica, referenceNumber, 'ana', 'maybe', ''))).toEqual(['validation', ['outcome']]);
    expect(await refusalOf(resolve(replica, 'unknown', 'ana', 'failed', ''))).toEqual(['transaction_not_found', []]);
    for (const operator of ['ana', 'ana']) {
      expect(await resolve(replica, referenceNumber, operator, 'succeeded', token)).toEqual({ decided: false });
    }
    expect(await resolve(replica, referenceNumber, 'budi', 'succeeded', newToken())).toEqual({ decided: false });
    expect(ledger.balances.held).toBe(PRICE_SEN);
    await resolve(replica, referenceNumber, 'ana', 'succeeded', token);
    const logged: RecordedChange[] = [];
    expect(await resolve(replica, referenceNumber, 'budi', 'succeeded', token, logged)).toEqual({ decided: true });
    expect((await pay(replica, referenceNumber)).token).toBe(token);
    expect(ledger.balances).toEqual(ledgerWhen(true));
    expect(logged).toMatchObject([
      { after: { outcome: 'succeeded', step: 'approved' }, before: { proposal: { operator: 'ana' } } },
    ]);
    expect(JSON.stringify(logged)).not.toContain(token);
  });

  test('are two keys: a name of before operators had keys is no one, and is proposed over', async () => {
    const ledger = scriptedLedger();
    const { replica, referenceNumber } = await unresolved(ledger);
    const named = { proposed_by: 'Budi S.', proposed_outcome: 'failed' } as const;
    await store().collection<StoredPurchaseDocument>(PURCHASES).updateOne({ _id: referenceNumber }, { $set: named });
    expect(await resolve(replica, referenceNumber, 'budi', 'failed', '')).toEqual({ decided: false });
    expect((await replica.find(referenceNumber))?.document).toMatchObject({ proposed_operator: 'budi' });
    expect((await replica.find(referenceNumber))?.document).not.toHaveProperty('proposed_by');
    expect(await resolve(replica, referenceNumber, 'ana', 'failed', '')).toEqual({ decided: true });
    expect(ledger.balances).toEqual(ledgerWhen(false));
  });

  test('decide that one has failed', async () => {
    const ledger = scriptedLedger();
    const { replica, referenceNumber } = await unresolved(ledger);
    await resolve(replica, referenceNumber, 'ana', 'failed', '');
    expect(await resolve(replica, referenceNumber, 'budi', 'failed', '')).toEqual({ decided: true });
    expect((await pay(replica, referenceNumber)).purchase?.status).toBe(PurchaseStatus.FAILED);
    expect(ledger.balances).toEqual(ledgerWhen(false));
  });

  test('do not decide what the biller may still answer, nor what has ended', async () => {
    const replica = await open(scriptedBiller(success(), silence), scriptedLedger());
    const { referenceNumber } = await inquire(replica);
    await pay(replica, referenceNumber);
    expect(await refusalOf(resolve(replica, referenceNumber, 'ana', 'failed', ''))).toEqual(['bad_request', []]);
    await untilDone(replica, referenceNumber);
    expect(await refusalOf(resolve(replica, referenceNumber, 'ana', 'failed', ''))).toEqual(['bad_request', []]);
  });
});

describe('a biller that contradicts itself before its first answer was written', () => {
  test.each([
    ['released, then sold', failure, success(), 'succeeded', true],
    ['released, then sold, and operators say failed', failure, success(), 'failed', false],
    ['sold, then refused', success(), failure, 'failed', false],
    ['sold, then refused, and operators say succeeded', success(), failure, 'succeeded', true],
  ] as const)('%s: operators decide, the ledger compensates', async (_name, lost, said, decided, isPaid) => {
    const ledger = scriptedLedger();
    const { replica, referenceNumber } = await withLostOutcome(ledger, fresh(lost), fresh(said));
    expect([replica.counts.contradictions, await queued(replica, referenceNumber)]).toMatchObject([1, { proposedBy: '' }]);
    const token = decided === 'succeeded' ? newToken() : '';
    await resolve(replica, referenceNumber, 'ana', decided, token);
    await resolve(replica, referenceNumber, 'budi', decided, token);
    expect((await replica.find(referenceNumber))?.state.status).toBe(decided);
    expect(ledger.balances).toEqual(ledgerWhen(isPaid));
  });

  test('and an account that has spent the money meanwhile: it waits in the queue until it is approved again', async () => {
    const ledger = scriptedLedger(PRICE_SEN);
    const { replica, referenceNumber } = await withLostOutcome(ledger, failure, success(newToken()));
    ledger.balances.available = 0n;
    const token = newToken();
    const approve = async () => {
      await resolve(replica, referenceNumber, 'ana', 'succeeded', token);
      return resolve(replica, referenceNumber, 'budi', 'succeeded', token);
    };
    expect(await refusalOf(approve())).toEqual(['insufficient_balance', []]);
    expect(await queued(replica, referenceNumber)).toMatchObject({
      proposedBy: '',
      reason: expect.stringContaining('insufficient'),
    });
    ledger.balances.available = PRICE_SEN;
    expect(await approve()).toEqual({ decided: true });
    expect(ledger.balances).toEqual(ledgerWhen(true, PRICE_SEN));
  });
});

describe('an inquiry', () => {
  test.each([
    [{ productCode: 'PLN51' }, ['validation', ['product_code']]],
    [{ productCode: 'PULSA25' }, ['validation', ['product_code']]],
    [{ command: 'gas' }, ['validation', ['command']]],
    [{ customerId: '1234567890' }, ['validation', ['customer_id']]],
    [{ customerId: '1234567890123' }, ['validation', ['customer_id']]],
    [{ command: 'pulsa', productCode: 'PULSA25', customerId: '6281234567890' }, ['validation', ['customer_id']]],
  ] as const)('of %j is refused, and the biller is not asked', async (asked, refusal) => {
    const biller = scriptedBiller();
    expect(await refusalOf(inquire(await open(biller, scriptedLedger()), asked))).toEqual(refusal);
    expect(biller.questions).toEqual([]);
  });

  test.each([
    [{ outcome: 'customer_unknown' }, ['validation', ['customer_id']]],
    [{ outcome: 'customer_blocked' }, ['validation', ['customer_id']]],
    [{ outcome: 'unavailable', reason: 'r' }, ['vendor_inactive', []]],
    [{ outcome: 'unknown', reason: 'r' }, ['vendor_inactive', []]],
    [{ outcome: 'unknown', reason: 'r', needsOperator: true }, ['vendor_inactive', []]],
  ] as const)('that the biller answers with %j is refused', async (inquiry, refusal) => {
    const biller = scriptedBiller();
    biller.inquiry = inquiry;
    expect(await refusalOf(inquire(await open(biller, scriptedLedger())))).toEqual(refusal);
  });

  test('and a payment are refused in the cut-off, a repeated payment is not', async () => {
    const clock = createClock();
    const untilNoonMs =
      (24 * 60 * MINUTE + Date.parse('2026-11-22T12:00:00+07:00') - (clock.now() % (24 * 60 * MINUTE))) % (24 * 60 * MINUTE);
    clock.setOffset(untilNoonMs);
    const biller = scriptedBiller();
    const replica = await open(biller, scriptedLedger(), { clock, cutOff: parseCutOff('plntok=12:10-12:20') ?? new Map() });
    const [paid, unpaid] = [await inquire(replica), await inquire(replica)];
    const { token } = await pay(replica, paid.referenceNumber);
    clock.setOffset(untilNoonMs + 12 * MINUTE);
    expect(await refusalOf(inquire(replica))).toEqual(['vendor_inactive', []]);
    expect(await refusalOf(pay(replica, unpaid.referenceNumber))).toEqual(['vendor_inactive', []]);
    expect((await pay(replica, paid.referenceNumber)).token).toBe(token);
    expect((await inquire(replica, { command: 'pulsa', productCode: 'PULSA10', customerId: '081234567890' })).customerName).toBe(
      'BUDI',
    );
  });

  test('and a payment need the product', async () => {
    const replica = await open(scriptedBiller(), scriptedLedger(), { products: ['disbursement'] });
    expect(await refusalOf(inquire(replica))).toEqual(['product_not_allowed', []]);
    expect(await refusalOf(pay(replica, 'r'))).toEqual(['product_not_allowed', []]);
  });
});

/** What the operators' queue has of a purchase. */
async function queued({ context }: Replica, referenceNumber: string) {
  const { items } = await listUnresolvedPurchases(context, {
    $typeName: 'gerbang.biller.v1.ListUnresolvedPurchasesRequest',
    limit: 500,
  });
  return items.find(({ purchase }) => purchase.referenceNumber === referenceNumber);
}

function resolve(
  { context }: Replica,
  referenceNumber: string,
  operator: string,
  outcome: string,
  token: string,
  logged: RecordedChange[] = [],
) {
  const call = operatorCall(operator, logged);
  return resolvePurchase(context, create(ResolvePurchaseRequestSchema, { referenceNumber, outcome, token }), call);
}

async function unresolved(ledger: ReturnType<typeof scriptedLedger>) {
  const replica = await open(scriptedBiller({ ...silence, needsOperator: true }), ledger);
  const { referenceNumber } = await inquire(replica);
  await pay(replica, referenceNumber);
  return { replica, referenceNumber };
}

/** A purchase whose first answer the ledger has booked, while its write was lost; the biller has said the other since. */
async function withLostOutcome(
  ledger: ReturnType<typeof scriptedLedger>,
  lost: PrepaidPurchaseResult,
  said: PrepaidPurchaseResult,
) {
  const replica = await open(scriptedBiller(said, silence), ledger);
  const { referenceNumber } = await inquire(replica);
  await pay(replica, referenceNumber);
  const pending = await replica.find(referenceNumber);
  if (pending === undefined) throw new Error('it is gone');
  const { purchases } = replica.context;
  const dying = { ...replica.context, purchases: { ...purchases, apply: () => Promise.reject(new Error('died')) } };
  await expect(settle(dying, pending, lost)).rejects.toThrow('died');
  await fire(replica, referenceNumber);
  return { replica, referenceNumber };
}

/** With a token that no other test has. */
function fresh(result: PrepaidPurchaseResult): PrepaidPurchaseResult {
  return result.outcome === 'succeeded' ? { ...result, token: newToken() } : result;
}

/** All texts in a stored value, also those in binary fields. */
function textsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('buffer' in value && value.buffer instanceof Uint8Array) return Buffer.from(value.buffer).toString('latin1');
  return Object.values(value).map(textsOf).join();
}
