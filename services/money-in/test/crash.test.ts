import { create } from '@bufbuild/protobuf';
import { createClock, newUlid, SANDBOX_VA_SERIES } from '@gerbang/core';
import { PostResponseSchema } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { ProfileSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { AmountType, TipIndicator, VirtualAccountKind } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { connectStore, openAuditLog, openIdempotencyKeys, type Store } from '@gerbang/store';
import { startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { mustFind } from '../src/payable/change.ts';
import { openClaims } from '../src/payable/claims.ts';
import { onPayablesDue } from '../src/payable/on-due.ts';
import { newPayable } from '../src/payable/payable.ts';
import { QRIS, VIRTUAL_ACCOUNT } from '../src/payable/product.ts';
import { openSequence } from '../src/payable/sequence.ts';
import { openPayableStore, type PayableStore } from '../src/payable/store.ts';
import type { StoredPayable } from '../src/payable/stored-payable.ts';
import { onPaymentsDue } from '../src/payment/on-due.ts';
import { receive } from '../src/payment/receive.ts';
import { openPaymentStore, type PaymentStore } from '../src/payment/store.ts';
import { qrisReference } from '../src/qris/message.ts';
import type { AskRail } from '../src/rail/ask.ts';

let mongo: TestMongo;
let store: Store;
let payables: PayableStore;
let payments: PaymentStore;

beforeAll(async () => {
  mongo = await startTestMongo();
  store = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}crash`, appName: 'test' });
  payables = await openPayableStore(store, () => {});
  payments = await openPaymentStore(store, () => {});
});

afterAll(async () => {
  await store?.close();
  await mongo?.stop();
});

class Crash extends Error {}

/** Where a process dies: right before its n-th step, or right after it, when nobody has heard of what it did. */
type Death = { step: number; when: 'before' | 'after' };

/** Counts every call to the database and the ledger, and dies at one of them, and at all that come after. */
function dying(death: Death | undefined) {
  let steps = 0;
  let dead = false;
  const guard = <A extends unknown[], R>(call: (...given: A) => Promise<R>) => {
    return async (...given: A): Promise<R> => {
      steps++;
      if (dead || (death?.when === 'before' && steps === death.step)) {
        dead = true;
        throw new Crash();
      }
      const answer = await call(...given);
      if (death?.when === 'after' && steps === death.step) {
        dead = true;
        throw new Crash();
      }
      return answer;
    };
  };
  return { guard, steps: () => steps };
}

/** The ledger as its contract has it: once per posting key. */
function newLedger() {
  const posted = new Map<string, bigint>();
  return {
    posted,
    post: async ({ postingKey = '', amountSen = 0n }: { postingKey?: string; amountSen?: bigint }) => {
      posted.set(postingKey, amountSen);
      return create(PostResponseSchema, { postedAtMs: 1n });
    },
  };
}

const clock = createClock();

const unused = () => Promise.reject(new Error('not part of this test'));

async function newContext(
  ledger: ReturnType<typeof newLedger>,
  { guard }: ReturnType<typeof dying>,
  askRail: AskRail = unused,
): Promise<Context> {
  const profile = async (merchantId: string) => create(ProfileSchema, { merchantId, partition: 'p0' });
  const sequence = openSequence(store, 'unused');
  return {
    payables: {
      ...payables,
      find: guard(payables.find),
      findMany: guard(payables.findMany),
      apply: guard(payables.apply),
      applyMany: guard(payables.applyMany),
      postponeMany: guard(payables.postponeMany),
    },
    payments: {
      ...payments,
      insert: guard(payments.insert),
      find: guard(payments.find),
      apply: guard(payments.apply),
      applyMany: guard(payments.applyMany),
    },
    claims: openClaims(store, unused),
    numbers: { qris: sequence, link: sequence, history: sequence },
    ledger: { post: guard(ledger.post), getBalance: unused, verify: unused },
    merchants: { profile, account: unused, admit: unused, admitProduct: unused, close: async () => {} },
    idempotencyKeys: await openIdempotencyKeys(store, clock),
    audit: openAuditLog(store),
    settlesAt: (_product, paidAtMs) => paidAtMs,
    vaSeries: SANDBOX_VA_SERIES,
    payUrl: '',
    sessionMs: 1,
    suspensePartition: 'p0',
    rails: {
      acquirerName: '',
      callbackPartnerIds: { qris: 'acquirer', ewallet: 'wallet' },
      merchantCity: '',
      qris: { generate: unused, query: unused, cancel: unused, close: unused },
      ewallet: { createPayment: unused, inquirePayment: unused, cancelPayment: unused, refundPayment: unused, close: unused },
    },
    askRail: guard(askRail),
    railTimeoutMs: 1,
    clock,
    log: testLog(),
    metrics: { created() {}, paid() {}, settled() {}, expired() {}, asked() {}, rejected() {}, contradicted() {} },
  };
}

async function newVirtualAccount(): Promise<StoredPayable> {
  const publicId = newUlid(clock.now());
  const made = await payables.insert(
    {
      id: `${VIRTUAL_ACCOUNT}:${publicId}`,
      publicId,
      merchantId: 'm1',
      partition: 'p0',
      accountId: newUlid(clock.now()),
      merchantReffNo: 'r',
      createdAtMs: clock.now(),
    },
    newPayable({ minSen: 500n, maxSen: 500n, maxUses: 2 }),
    {
      kind: VIRTUAL_ACCOUNT,
      number: '70014',
      bank_code: 'BCA',
      va_kind: VirtualAccountKind.TEMPORARY,
      amount_type: AmountType.CLOSED,
      name: 'x',
    },
    [],
  );
  if (made === undefined) throw new Error('the id is taken');
  return made;
}

/** When an overdue code was paid: in time, also where it falls on a whole second, which stands for any time up to its end. */
const PAID_BEFORE_MS = 2_500;

/** A code over 5 rupiah whose time ended half a second ago. */
async function newOverdueCode(): Promise<StoredPayable> {
  const nowMs = clock.now();
  const publicId = String(nextNumber++);
  const made = await payables.insert(
    {
      id: `${QRIS}:${newUlid(nowMs)}`,
      publicId,
      merchantId: 'm1',
      partition: 'p0',
      accountId: newUlid(nowMs),
      merchantReffNo: 'r',
      createdAtMs: nowMs - 60_000,
    },
    newPayable({ minSen: 500n, maxSen: 500n, maxUses: 1, expiresAtMs: nowMs - 500 }),
    { kind: QRIS, qr_data: '', tip_indicator: TipIndicator.UNSPECIFIED, tip_value: 0n, acquirer_name: '', acquirer_nns: '' },
    [],
  );
  return made ?? expect.fail('the id is taken');
}

let nextNumber = 1;

const notification = (payable: StoredPayable, amountSen: bigint) => ({
  rail: 'va' as const,
  partnerId: 'bank',
  railReference: payable.order.publicId,
  paidTo: '70014',
  amountSen,
  tipSen: 0n,
  paidAtMs: clock.now(),
  moneyTaken: true,
  payer: undefined,
  payable,
});

/** How many steps the whole road has, so that the table below has a row for each. */
const STEPS_MAX = 16;
const deaths: Death[] = Array.from({ length: STEPS_MAX }, (_, i) => [
  { step: i + 1, when: 'before' as const },
  { step: i + 1, when: 'after' as const },
]).flat();

describe.each([
  ['fits', 500n],
  ['fits nothing', 499n],
] as const)('a payment that %s', (_what, amountSen) => {
  test.each(deaths)('whose process dies $when step $step is counted once', async (death) => {
    const ledger = newLedger();
    const payable = await newVirtualAccount();
    const told = notification(payable, amountSen);
    const first = dying(death);
    await receive(await newContext(ledger, first), told).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    // The rail comes again, and so does the timer, at once and to different replicas.
    const alive = await newContext(ledger, dying(undefined));
    const known = await payments.find(`va:bank:${payable.order.publicId}`);
    await Promise.all([receive(alive, told), ...(known === undefined ? [] : [onPaymentsDue(alive, [known])])]);
    const payment = await payments.find(`va:bank:${payable.order.publicId}`);
    await onPaymentsDue(alive, [payment ?? expect.fail('no payment')]);

    const after = await payables.find(payable.order.id);
    const ended = await payments.find(`va:bank:${payable.order.publicId}`);
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
  const counted = dying(undefined);
  const payable = await newVirtualAccount();
  await receive(await newContext(ledger, counted), notification(payable, 500n));
  expect(counted.steps()).toBeLessThanOrEqual(STEPS_MAX);
  expect(counted.steps()).toBeGreaterThan(5);
});

describe.each([
  ['was paid there', true],
  ['was not paid', false],
] as const)('an overdue QRIS code that %s', (_what, isPaid) => {
  test.each(deaths)('is ended once when the process that asks its rail dies $when step $step', async (death) => {
    const ledger = newLedger();
    const code = await newOverdueCode();
    const reference = qrisReference(code.order.id);
    const paidAtMs = clock.now() - PAID_BEFORE_MS;
    const askRail: AskRail = async () =>
      isPaid ? { outcome: 'paid', railReference: reference, amountSen: 500n, paidAtMs } : { outcome: 'not_found' };
    await onPayablesDue(await newContext(ledger, dying(death), askRail), [code]).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
    // The timer comes back to it, at two replicas, while the rail at last tells of the payment.
    const alive = await newContext(ledger, dying(undefined), askRail);
    const again = await mustFind(alive, code.order.id);
    const told = { ...notification(code, 500n), rail: 'qris' as const, partnerId: 'acquirer', railReference: reference };
    const callback = { ...told, paidTo: reference, paidAtMs };
    await Promise.all([
      onPayablesDue(alive, [again]),
      onPayablesDue(alive, [again]),
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

test('the table has a row for every step of asking', async () => {
  const counted = dying(undefined);
  const code = await newOverdueCode();
  const askRail: AskRail = async () => ({
    outcome: 'paid',
    railReference: code.order.publicId,
    amountSen: 500n,
    paidAtMs: clock.now() - PAID_BEFORE_MS,
  });
  await onPayablesDue(await newContext(newLedger(), counted, askRail), [code]);
  expect(counted.steps()).toBeLessThanOrEqual(STEPS_MAX);
  expect(counted.steps()).toBeGreaterThan(5);
});

test.each(deaths)('payments whose process dies $when step $step of their settlement settle once', async (death) => {
  const ledger = newLedger();
  const alive = await newContext(ledger, dying(undefined));
  const codes = [await newOverdueCode(), await newOverdueCode()];
  const ids = codes.map((code) => `qris:acquirer:${code.order.publicId}`);
  for (const code of codes) {
    const paidTo = qrisReference(code.order.id);
    const paidAtMs = clock.now() - PAID_BEFORE_MS;
    await receive(alive, { ...notification(code, 500n), rail: 'qris', partnerId: 'acquirer', paidTo, paidAtMs });
  }
  const read = async () => (await Promise.all(ids.map((id) => payments.find(id)))).filter((one) => one !== undefined);
  const paid = await read();
  expect(paid.map(({ state }) => state.status)).toEqual(['paid', 'paid']);
  await onPaymentsDue(await newContext(ledger, dying(death)), paid).catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
  const left = await read();
  await Promise.all([onPaymentsDue(alive, left), onPaymentsDue(alive, left)]);

  expect((await read()).map(({ state }) => state.status)).toEqual(['settled', 'settled']);
  const shown = await payables.findMany(codes.map((code) => code.order.id));
  expect(shown.map(({ payment }) => payment?.settledAtMs)).toEqual([1, 1]);
  expect([...ledger.posted.keys()].filter((key) => key.endsWith(':settle'))).toHaveLength(2);
});
