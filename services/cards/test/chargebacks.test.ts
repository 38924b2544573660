import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError } from '@gerbang/core';
import { newOperatorKey, operatorAuthorizer, publicKeyOf } from '@gerbang/neighbours';
import { CancelRequestSchema, ReportChargebackRequestSchema } from '@gerbang/proto/gerbang/cards/v1/cards';
import {
  ChargebackOperatorService,
  ChargebackOutcome,
  EndCaseRequestSchema,
  GetChargebackRequestSchema,
  ListCasesRequestSchema,
  ListChargebacksRequestSchema,
  ShowCaseRequestSchema,
} from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import {
  BeginRequestSchema,
  BeginResponseSchema,
  CheckOperatorRequestSchema,
  FinishRequestSchema,
  Outcome,
  Role,
} from '@gerbang/proto/gerbang/operator/v1/operator';
import type { AcquirerChargeback } from '@gerbang/rails/card';
import { openChannel, startRpcServer } from '@gerbang/rpc';
import type { OperatorGate } from '@gerbang/service/operators';
import { Crash, type Death, dying, testLog } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { createOperatorGate, operatorCall } from '@gerbang/testkit/operator-gate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeReport } from '../src/chargeback/report.ts';
import { getChargeback } from '../src/chargeback/rpc/get-chargeback.ts';
import { listChargebacks } from '../src/chargeback/rpc/list-chargebacks.ts';
import { endCase, listCases, showCase } from '../src/chargeback/rpc/operate.ts';
import { reportChargeback } from '../src/chargeback/rpc/report-chargeback.ts';
import type { Context } from '../src/context.ts';
import { placePayment } from '../src/payment/place.ts';
import { lookAgain } from '../src/payment/report.ts';
import { cancel } from '../src/payment/rpc/cancel.ts';
import { implementations } from '../src/rpc.ts';
import { ACCOUNT, card, MERCHANT, newId, newOrder, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const DAY_MS = 86_400_000;
const PAID = 250_000_00n;
const RESPOND_BY = 1_900_000_000_000;
let cases = 0;

async function setUp(death?: Death) {
  const acquirer = newAcquirer();
  const ledger = newLedger();
  const clock = createClock();
  const counted = dying(death);
  const open = (by = dying(undefined)) => parts.newContext(acquirer, ledger, by, { clock });
  const replicas = [await open(), await open()] as const;
  return { acquirer, ledger, clock, counted, mortal: await open(counted), replicas, context: replicas[0], id: newId() };
}
type World = Awaited<ReturnType<typeof setUp>>;

/** A payment that has come so far by this time after its order. */
async function pay({ context, replicas, clock, id }: World, afterMs: number) {
  await placePayment(context, id, newOrder(), card());
  return parts.fireTimers(replicas, clock, id, clock.now() + afterMs);
}

function newCase(reference: string, over: Partial<AcquirerChargeback> = {}): AcquirerChargeback {
  const caseId = `case-${++cases}`;
  const reason = { reasonCode: '10.4', reason: 'Fraud', respondByMs: RESPOND_BY };
  return { caseId, reference, amountSen: PAID.toString(), ...reason, stage: 'chargeback', isWithdrawn: false, ...over };
}

/** The acquirer opens a case, or changes it, and reports it. */
async function report({ acquirer, context }: World, said: AcquirerChargeback) {
  acquirer.cases.set(said.caseId, said);
  return takeReport(context, said);
}

const end = (context: Context, id: string, outcome: ChargebackOutcome) =>
  endCase(context, create(EndCaseRequestSchema, { id, outcome }), operatorCall('ana'));
const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof RefusalError ? error.refusal.refused : error;
};
const eventsOf = async (id: string) =>
  (await parts.findChargeback(id)).document.tail.map(({ event }) => event.replace('card-chargeback.', ''));

test('of a settled payment reserves its amount from available, is won, and gives it back', async () => {
  const world = await setUp();
  await pay(world, DAY_MS);
  const { order, state } = await report(world, newCase(world.id));
  expect(state).toEqual({ status: 'reserved', reserve: { reservedSen: PAID, feeSen: 0n } });
  expect(world.ledger.balance).toEqual({ pending: 0n, available: 0n });
  expect(world.ledger.disputed).toMatchObject({ reserve: PAID, owed: 0n });
  const { case: won } = await end(world.context, order.id, ChargebackOutcome.WON);
  expect(won).toMatchObject({ step: 'won', chargeback: { reservedSen: PAID } });
  await end(world.context, order.id, ChargebackOutcome.WON);
  expect(await refusalOf(end(world.context, order.id, ChargebackOutcome.LOST))).toBe('bad_request');
  expect(world.ledger.balance).toEqual({ pending: 0n, available: PAID });
  expect(world.ledger.disputed).toMatchObject({ reserve: 0n, lost: 0n });
  expect(await eventsOf(order.id)).toEqual(['opened', 'won']);
  // The payment stands again, so that it can be refunded.
  await cancel(world.context, create(CancelRequestSchema, { merchantId: MERCHANT, accountId: ACCOUNT, id: world.id }));
  expect(world.ledger.balance.available).toBe(0n);
});

test('that is lost goes to the acquirer with its fee, and the payment can not be refunded as well', async () => {
  const world = await setUp();
  const context = { ...world.context, chargebackFeeSen: 15_000_00n };
  await pay(world, DAY_MS);
  const said = newCase(world.id, { amountSen: '10000000' });
  world.acquirer.cases.set(said.caseId, said);
  const { order } = await takeReport(context, said);
  const asked = create(CancelRequestSchema, { merchantId: MERCHANT, accountId: ACCOUNT, id: world.id });
  expect(await refusalOf(cancel(context, asked))).toBe('transaction_failed');
  await end(context, order.id, ChargebackOutcome.LOST);
  expect(world.ledger.disputed).toEqual({ reserve: 0n, owed: 0n, lost: 100_000_00n, fees: 15_000_00n });
  expect(world.ledger.suspense.sen).toBe(0n);
  expect(world.ledger.balance.available).toBe(PAID - 115_000_00n);
  expect(await refusalOf(cancel(context, asked))).toBe('transaction_failed');
  expect(await eventsOf(order.id)).toEqual(['opened', 'lost']);
});

test('before the settlement is owed, and the settlement repays it', async () => {
  const world = await setUp();
  await pay(world, 31_000);
  const { state } = await report(world, newCase(world.id));
  expect(state.status).toBe('reserved');
  expect(world.ledger.disputed).toMatchObject({ reserve: PAID, owed: PAID });
  await parts.fireTimers(world.replicas, world.clock, world.id, world.clock.now() + DAY_MS);
  expect(world.ledger.balance).toEqual({ pending: 0n, available: 0n });
  expect(world.ledger.disputed).toMatchObject({ reserve: PAID, owed: 0n });
});

test('before the capture waits for it', async () => {
  const world = await setUp();
  await pay(world, 0);
  const { order, state } = await report(world, newCase(world.id));
  expect(state).toMatchObject({ status: 'opened', waitingFor: 'the payment is authorised' });
  expect(await refusalOf(end(world.context, order.id, ChargebackOutcome.WON))).toBe('unavailable');
  expect(await eventsOf(order.id)).toEqual([]);
  await parts.fireTimers(world.replicas, world.clock, world.id, world.clock.now() + DAY_MS);
  const after = await parts.fireChargebackTimers(world.replicas, world.clock, order.id);
  expect(after.state).toMatchObject({ status: 'reserved', reserve: { reservedSen: PAID } });
});

test.each<[string, number, string]>([
  ['refunded', DAY_MS, 'refunded'],
  ['cancelled', 0, 'cancelled'],
])('of a payment that was %s takes nothing a second time; suspense bears it where it is lost', async (_, afterMs, status) => {
  const world = await setUp();
  await pay(world, afterMs);
  await cancel(world.context, create(CancelRequestSchema, { merchantId: MERCHANT, accountId: ACCOUNT, id: world.id }));
  expect((await parts.find(world.id)).state.status).toBe(status);
  const { order, state } = await report(world, newCase(world.id));
  expect(state).toMatchObject({ status: 'reserved', reserve: { reservedSen: 0n, feeSen: 0n } });
  expect(await eventsOf(order.id)).toEqual(['opened']);
  await end(world.context, order.id, ChargebackOutcome.LOST);
  expect(world.ledger.disputed).toEqual({ reserve: 0n, owed: 0n, lost: 0n, fees: 0n });
  expect(world.ledger.suspense.sen).toBe(-PAID);
  expect(world.ledger.balance).toEqual({ pending: 0n, available: 0n });
});

test('several of a payment, at once, never take more than was paid', async () => {
  const world = await setUp();
  await pay(world, DAY_MS);
  const said = Array.from({ length: 4 }, () => newCase(world.id, { amountSen: '10000000' }));
  for (const one of said) world.acquirer.cases.set(one.caseId, one);
  const all = await Promise.all(said.map((one, i) => takeReport(world.replicas[i % 2 === 0 ? 0 : 1], one)));
  const reserved = all.map(({ state }) => (state.status === 'reserved' ? state.reserve.reservedSen : -1n));
  expect(reserved.toSorted()).toEqual([0n, 100_000_00n, 100_000_00n, 50_000_00n].toSorted());
  expect(world.ledger.disputed).toMatchObject({ reserve: PAID, owed: 0n });
});

test('is one however often it is reported, also at once and with another amount', async () => {
  const world = await setUp();
  await pay(world, DAY_MS);
  const said = newCase(world.id, { amountSen: '10000000' });
  world.acquirer.cases.set(said.caseId, said);
  const [a, b] = await Promise.all(world.replicas.map((replica) => takeReport(replica, said)));
  await report(world, { ...said, amountSen: '20000000' });
  expect(a?.order.id).toBe(b?.order.id);
  expect(world.ledger.disputed.reserve).toBe(100_000_00n);
  // A pre-arbitration of the same case is one of its own.
  const next = await report(world, { ...said, stage: 'pre-arbitration' });
  expect(next.order.id).not.toBe(a?.order.id);
  expect(world.ledger.disputed.reserve).toBe(200_000_00n);
});

describe('a report', () => {
  test('of which the acquirer knows nothing is not believed', async () => {
    const world = await setUp();
    await pay(world, DAY_MS);
    expect(await refusalOf(takeReport(world.context, newCase(world.id)))).toBe('transaction_not_found');
    world.acquirer.state.isSilent = true;
    expect(await refusalOf(takeReport(world.context, newCase(world.id)))).toBe('unavailable');
    expect(world.ledger.disputed.reserve).toBe(0n);
  });

  test('says less than the acquirer, whose word counts', async () => {
    const world = await setUp();
    await pay(world, DAY_MS);
    const said = newCase(world.id, { amountSen: '500000' });
    world.acquirer.cases.set(said.caseId, said);
    const { caseId } = said;
    const request = { caseId, reference: 'another', amountSen: PAID, isWithdrawn: true };
    await reportChargeback(world.context, create(ReportChargebackRequestSchema, request));
    expect(world.ledger.disputed.reserve).toBe(5_000_00n);
    expect(
      await refusalOf(reportChargeback(world.context, create(ReportChargebackRequestSchema, { ...request, amountSen: 0n }))),
    ).toBe('validation');
  });

  test('is believed where the acquirer can not be asked', async () => {
    const world = await setUp();
    await pay(world, DAY_MS);
    const { inquireChargeback: _, ...rail } = world.context.rail;
    await takeReport({ ...world.context, rail }, newCase(world.id));
    expect(world.ledger.disputed.reserve).toBe(PAID);
    expect(world.acquirer.asked).not.toContain('inquireChargeback');
  });

  test('of a case that is withdrawn has it won', async () => {
    const world = await setUp();
    await pay(world, DAY_MS);
    const said = newCase(world.id);
    const { order } = await report(world, said);
    await report(world, { ...said, isWithdrawn: true });
    await report(world, { ...said, isWithdrawn: true });
    expect(await eventsOf(order.id)).toEqual(['opened', 'won']);
    expect(world.ledger.balance.available).toBe(PAID);
  });

  test('that withdraws what was lost is a contradiction, and moves nothing', async () => {
    const world = await setUp();
    await pay(world, DAY_MS);
    const said = newCase(world.id);
    const { order } = await report(world, said);
    await end(world.context, order.id, ChargebackOutcome.LOST);
    const contradicted: string[] = [];
    const metrics = { ...world.context.metrics, contradicted: (what: string) => void contradicted.push(what) };
    world.acquirer.cases.set(said.caseId, { ...said, isWithdrawn: true });
    await takeReport({ ...world.context, metrics }, said);
    expect(contradicted).toEqual(['chargeback-withdrawn']);
    expect(await eventsOf(order.id)).toEqual(['opened', 'lost']);
    expect(world.ledger.disputed.lost).toBe(PAID);
  });

  test('of an unknown payment is kept for operators, alerts, and moves suspense only', async () => {
    const world = await setUp();
    const counted: string[] = [];
    const alerts: unknown[] = [];
    const metrics = { ...world.context.metrics, chargeback: (what: string) => void counted.push(what) };
    const log = { ...world.context.log, error: (fields: unknown) => void alerts.push(fields) };
    const context: Context = { ...world.context, metrics, log };
    const said = newCase('no-payment-of-ours');
    world.acquirer.cases.set(said.caseId, said);
    const { order, state } = await takeReport(context, said);
    expect([state.status, order.merchantId, counted]).toEqual(['unmatched', '', ['unmatched']]);
    expect(alerts).toMatchObject([{ alert: 'chargeback-unknown-payment', reference: 'no-payment-of-ours' }]);
    const { cases: found } = await listCases(context, create(ListCasesRequestSchema, { limit: 1_000 }));
    expect(found.find(({ caseId }) => caseId === said.caseId)).toMatchObject({ step: 'unmatched' });
    await end(context, order.id, ChargebackOutcome.LOST);
    expect([world.ledger.suspense.sen, world.ledger.disputed.lost]).toEqual([-PAID, 0n]);
    expect(await eventsOf(order.id)).toEqual([]);
  });

  test('whose text has a card number is kept without it', async () => {
    const world = await setUp();
    await pay(world, DAY_MS);
    const { order } = await report(world, newCase(world.id, { reason: 'Card 4811 1111 1111 1114 \u0007was stolen' }));
    expect(order.reason).toBe('');
  });
});

test('an acquirer that takes a disputed payment back as well: an operator decides', async () => {
  const world = await setUp();
  await pay(world, DAY_MS);
  await report(world, newCase(world.id));
  const held = world.acquirer.held.get(world.id) ?? expect.fail('not held');
  held.status = 'refunded';
  await lookAgain(world.context, await parts.find(world.id));
  expect((await parts.find(world.id)).state.status).toBe('contested');
  expect(world.ledger.disputed.reserve).toBe(PAID);
});

test('merchants see their own, newest first; operators see each with its case', async () => {
  const world = await setUp();
  await pay(world, DAY_MS);
  const first = await report(world, newCase(world.id, { amountSen: '100000' }));
  world.clock.setOffset(world.clock.offsetMs() + 1_000);
  const second = await report(world, newCase(world.id, { amountSen: '200000' }));
  const own = { merchantId: MERCHANT, accountId: ACCOUNT };
  const page = await listChargebacks(world.context, create(ListChargebacksRequestSchema, { ...own, limit: 1 }));
  expect(page.chargebacks.map(({ id }) => id)).toEqual([second.order.id]);
  const next = create(ListChargebacksRequestSchema, { ...own, limit: 1, cursor: page.nextCursor });
  expect((await listChargebacks(world.context, next)).chargebacks.map(({ id }) => id)).toEqual([first.order.id]);
  const shown = await getChargeback(world.context, create(GetChargebackRequestSchema, { ...own, id: first.order.id }));
  expect(shown.chargeback).toMatchObject({ cardTransactionId: world.id, amountSen: 1_000_00n, respondByMs: BigInt(RESPOND_BY) });
  for (const other of [
    { ...own, accountId: newId() },
    { ...own, merchantId: newId() },
  ])
    expect(
      await refusalOf(getChargeback(world.context, create(GetChargebackRequestSchema, { ...other, id: first.order.id }))),
    ).toBe('transaction_not_found');
  const { case: found } = await showCase(world.context, create(ShowCaseRequestSchema, { id: first.order.id }));
  expect(found).toMatchObject({ caseId: first.order.caseId, step: 'reserved', reference: world.id });
});

/** The service's commands behind a gate, by who gives them; without a name no one signs them. */
async function serve(context: Context) {
  const keys = { ana: await newOperatorKey('ana'), ben: await newOperatorKey('ben'), dewi: await newOperatorKey('dewi') };
  const operators = Object.values(keys).map((key) => {
    return { id: key.id, role: key.id === 'dewi' ? Role.SUPPORT : Role.FINANCE, publicKey: publicKeyOf(key) };
  });
  const { commands, handlers } = createOperatorGate(operators);
  const gate: OperatorGate = {
    service: 'cards',
    log: testLog(),
    begin: async (request) => create(BeginResponseSchema, await handlers.begin(create(BeginRequestSchema, request))),
    finish: (request) => handlers.finish(create(FinishRequestSchema, request)),
    checkOperator: (request) => handlers.checkOperator(create(CheckOperatorRequestSchema, request)),
  };
  const listener = { host: '127.0.0.1', port: 0, tls: undefined, log: testLog(), ready: () => true };
  const server = await startRpcServer({ ...listener, implementations: implementations(context, gate) });
  const channel = openChannel({ address: `127.0.0.1:${server.port}`, tls: undefined });
  onTestFinished(() => channel.close().then(() => server.close()));
  const as = (operator?: keyof typeof keys) =>
    channel.client(ChargebackOperatorService, operator && { authorize: operatorAuthorizer(keys[operator], 'cards') });
  return { as, commands };
}

test('takes two operators of finance to be ended, and the audit log has both', async () => {
  const world = await setUp();
  await pay(world, DAY_MS);
  const { order } = await report(world, newCase(world.id));
  const { as, commands } = await serve(world.context);
  const ending = { id: order.id, outcome: ChargebackOutcome.LOST };
  expect(await refusalOf(as().listCases({ limit: 1 }))).toBe('unauthorized');
  expect(await refusalOf(as().endCase(ending))).toBe('unauthorized');
  expect((await as('dewi').showCase({ id: order.id })).case).toMatchObject({ step: 'reserved' });
  expect(await refusalOf(as('dewi').endCase(ending))).toBe('forbidden');
  for (let i = 0; i < 2; i++) expect(await refusalOf(as('ana').endCase(ending))).toBe('approval_needed');
  expect(world.ledger.disputed).toMatchObject({ reserve: PAID, lost: 0n });
  expect((await as('ben').endCase(ending)).case).toMatchObject({ step: 'lost' });
  expect(world.ledger.disputed).toMatchObject({ reserve: 0n, lost: PAID });
  expect(commands.at(-1)).toMatchObject({
    ...{ operator: 'ben', proposer: 'ana', outcome: Outcome.DONE, target: `card-chargeback:${order.id}` },
    ...{ before: '{"step":"reserved"}', after: '{"outcome":"lost"}' },
  });
});

/** How many steps the roads have. */
const OPENING_STEPS = 8;
const ENDING_STEPS = 6;
const deathsOf = (steps: number): Death[] =>
  Array.from({ length: steps }, (_, i) => [
    { step: i + 1, when: 'before' as const },
    { step: i + 1, when: 'after' as const },
  ]).flat();
const dies = async (work: Promise<unknown>) => {
  await work.catch((error: unknown) => {
    if (!(error instanceof Crash) && !(error instanceof RefusalError)) throw error;
  });
};

test.each(deathsOf(OPENING_STEPS))('an opening whose process dies $when step $step reserves once', async (death) => {
  const world = await setUp(death);
  await pay(world, 31_000);
  const said = newCase(world.id);
  world.acquirer.cases.set(said.caseId, said);
  await dies(takeReport(world.mortal, said));
  // The acquirer has had no answer, and reports it again.
  const { order } = await takeReport(world.context, said);
  await parts.fireTimers(world.replicas, world.clock, world.id, world.clock.now() + DAY_MS);
  const after = await parts.fireChargebackTimers(world.replicas, world.clock, order.id);
  expect(after.state).toEqual({ status: 'reserved', reserve: { reservedSen: PAID, feeSen: 0n } });
  expect(world.ledger.disputed).toMatchObject({ reserve: PAID, owed: 0n });
  expect(world.ledger.balance).toEqual({ pending: 0n, available: 0n });
  expect(await eventsOf(order.id)).toEqual(['opened']);
});

describe.each([
  ['won', ChargebackOutcome.WON],
  ['lost', ChargebackOutcome.LOST],
] as const)('a chargeback that is %s', (name, outcome) => {
  test.each(deathsOf(ENDING_STEPS))('and whose process dies $when step $step moves the money once', async (death) => {
    const world = await setUp(death);
    await pay(world, DAY_MS);
    const said = newCase(world.id, { amountSen: (PAID + 1_00n).toString() });
    const { order } = await report(world, said);
    await dies(end(world.mortal, order.id, outcome));
    const begun = await parts.findChargeback(order.id);
    if (begun.state.status === 'reserved') await end(world.context, order.id, outcome);
    const after = await parts.fireChargebackTimers(world.replicas, world.clock, order.id);
    expect(after.state.status).toBe(name);
    const isWon = name === 'won';
    expect(world.ledger.balance.available).toBe(isWon ? PAID : 0n);
    expect(world.ledger.disputed).toMatchObject({ reserve: 0n, lost: isWon ? 0n : PAID });
    expect(world.ledger.suspense.sen).toBe(isWon ? 0n : -1_00n);
    expect(await eventsOf(order.id)).toEqual(['opened', name]);
  });
});

test.each([
  ['won', ChargebackOutcome.WON, ENDING_STEPS],
  ['lost', ChargebackOutcome.LOST, ENDING_STEPS - 1],
])('the tables have a row for every step of one that is %s', async (_, outcome, steps) => {
  const world = await setUp();
  await pay(world, DAY_MS);
  const said = newCase(world.id, { amountSen: (PAID + 1_00n).toString() });
  world.acquirer.cases.set(said.caseId, said);
  const { order } = await takeReport(world.mortal, said);
  const opening = world.counted.steps();
  await end(world.mortal, order.id, outcome);
  expect([opening, world.counted.steps() - opening]).toEqual([OPENING_STEPS, steps]);
});
