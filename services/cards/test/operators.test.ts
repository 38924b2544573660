import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError } from '@gerbang/core';
import { newOperatorKey, operatorAuthorizer, publicKeyOf } from '@gerbang/neighbours';
import { CancelRequestSchema, ReportPaymentRequestSchema } from '@gerbang/proto/gerbang/cards/v1/cards';
import {
  AttentionKind,
  CardOperatorService,
  ContestedDecision,
  DecideContestedRequestSchema,
  Outcome,
  ResolvePaymentRequestSchema,
} from '@gerbang/proto/gerbang/cards/v1/operators';
import {
  BeginRequestSchema,
  BeginResponseSchema,
  CheckOperatorRequestSchema,
  FinishRequestSchema,
  Role,
} from '@gerbang/proto/gerbang/operator/v1/operator';
import type { CardRail } from '@gerbang/rails/card';
import { openChannel, startRpcServer } from '@gerbang/rpc';
import type { OperatorGate } from '@gerbang/service/operators';
import { Crash, dying, testLog } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { createOperatorGate, operatorCall } from '@gerbang/testkit/operator-gate';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { decideContested } from '../src/operators/rpc/decide-contested.ts';
import { resolvePayment } from '../src/operators/rpc/resolve-payment.ts';
import { operatorImplementation } from '../src/operators/rpc.ts';
import { onPaymentDue } from '../src/payment/advance.ts';
import { onDue } from '../src/payment/on-due.ts';
import { placePayment } from '../src/payment/place.ts';
import { cancel } from '../src/payment/rpc/cancel.ts';
import { reportPayment } from '../src/payment/rpc/report-payment.ts';
import type { PaymentState } from '../src/payment/state.ts';
import { ACCOUNT, card, eventsOf, MERCHANT, newId, newOrder, useParts } from './parts-harness.ts';
import { newAcquirer } from './scripted-acquirer.ts';

const parts = useParts();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AMOUNT = 250_000_00n;
const EVIDENCE = 'mail of the acquirer, 21 November';
const SILENT = { outcome: 'unknown', reason: 'no answer' } as const;

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal.refused;
    throw error;
  }
  return expect.fail('it was not refused');
}

/** What a process that may die has done until then. */
async function until(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Crash) && !(error instanceof RefusalError)) throw error;
  });
}

/** An acquirer that can go away: it then does nothing, and tells nothing. */
function newAwayAcquirer() {
  const acquirer = newAcquirer();
  const away = { is: false };
  const unlessAway =
    <G extends unknown[], R>(call: (...given: G) => Promise<R>) =>
    (...given: G): Promise<R | typeof SILENT> =>
      away.is ? Promise.resolve(SILENT) : call(...given);
  const { authorise, resolve, capture, void: giveUp, refund, inquire, close } = acquirer.rail;
  const rail: CardRail = {
    authorise: unlessAway(authorise),
    resolve: unlessAway(resolve),
    capture: unlessAway(capture),
    void: unlessAway(giveUp),
    refund: unlessAway(refund),
    inquire: inquire && unlessAway(inquire),
    close,
  };
  return { ...acquirer, rail, away };
}

async function setUp() {
  const acquirer = newAwayAcquirer();
  const ledger = newLedger();
  const clock = createClock();
  const open = (by = dying(undefined)) => parts.newContext(acquirer, ledger, by, { clock });
  const context = await open();
  const id = newId();
  const later = (ms: number) => clock.setOffset(clock.offsetMs() + ms);
  const goTo = (ms: number) => parts.fireTimers([context], clock, id, clock.now() + ms);
  /** The acquirer is away for more than a day, and was asked now and then. */
  const waitInVain = async () => {
    for (let hour = 0; hour < 26; hour += 13) {
      later(13 * HOUR_MS);
      await onPaymentDue(context, await parts.find(id));
    }
  };
  return { acquirer, ledger, clock, context, id, later, goTo, open, waitInVain };
}

type SetUp = Awaited<ReturnType<typeof setUp>>;
const own = (id: string) => create(CancelRequestSchema, { merchantId: MERCHANT, accountId: ACCOUNT, id });

/** A payment that waits for the acquirer in this state for more than a day. */
async function waiting(status: 'authorising' | 'capturing' | 'voiding' | 'refunding'): Promise<SetUp> {
  const one = await setUp();
  const { acquirer, context, id, goTo, later } = one;
  acquirer.away.is = status === 'authorising';
  await placePayment(context, id, newOrder(), card());
  if (status === 'refunding') await goTo(DAY_MS);
  acquirer.away.is = true;
  if (status === 'capturing') {
    later(31_000);
    await onPaymentDue(context, await parts.find(id));
  } else if (status !== 'authorising') await until(cancel(context, own(id)));
  expect((await parts.find(id)).state.status).toBe(status);
  await one.waitInVain();
  return one;
}

/** Two operators have given the command. */
const asTwo = () => ({ ...operatorCall('ben'), proposer: 'ana' });
const resolve = (context: Context, id: string, outcome: Outcome) =>
  resolvePayment(context, create(ResolvePaymentRequestSchema, { id, outcome, evidence: EVIDENCE }), asTwo());
const choose = (context: Context, id: string, decision: ContestedDecision) =>
  decideContested(context, create(DecideContestedRequestSchema, { id, decision, evidence: EVIDENCE }), asTwo());
const report = (context: Context, id: string) => reportPayment(context, create(ReportPaymentRequestSchema, { reference: id }));

/** One that the acquirer has taken back while the account had too little. */
async function contested(): Promise<SetUp> {
  const one = await setUp();
  const { acquirer, context, ledger, id, goTo } = one;
  await placePayment(context, id, newOrder(), card());
  await goTo(DAY_MS);
  ledger.balance.available = 1n;
  Object.assign(acquirer.held.get(id) ?? {}, { status: 'refunded' });
  await report(context, id);
  expect((await parts.find(id)).state.status).toBe('contested');
  return one;
}

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
  const server = await startRpcServer({ ...listener, implementations: [operatorImplementation(context, gate)] });
  const channel = openChannel({ address: `127.0.0.1:${server.port}`, tls: undefined });
  onTestFinished(() => channel.close().then(() => server.close()));
  const as = (operator?: keyof typeof keys) =>
    channel.client(CardOperatorService, operator && { authorize: operatorAuthorizer(keys[operator], 'cards') });
  return { as, commands };
}

test('what the acquirer does not tell is listed, shown with its history, inquired and resolved by two', async () => {
  const { acquirer, context, clock, id } = await waiting('authorising');
  const { as, commands } = await serve(context);
  const list = (kind: AttentionKind, olderThanMs: number) =>
    as('dewi')
      .listAttention({ kind, olderThanMs: BigInt(olderThanMs), limit: 500 })
      .then(({ items }) => items.filter(({ payment }) => payment?.id === id));
  expect(await list(AttentionKind.UNRESOLVED, 25 * HOUR_MS)).toMatchObject([
    { state: 'authorising', reason: 'no answer', payment: { amountSen: AMOUNT } },
  ]);
  const none = [await list(AttentionKind.UNRESOLVED, 27 * HOUR_MS), await list(AttentionKind.CONTESTED, 0)];
  expect(none).toEqual([[], []]);
  const shown = await as('dewi').showPayment({ id });
  expect(shown).toMatchObject({ state: 'authorising', acquirerSays: 'unknown', acquirerReason: 'no answer', decisions: [] });
  expect(shown.history.map(({ state }) => state)).toEqual(['authorising']);
  expect(Number(shown.sinceMs)).toBeLessThanOrEqual(clock.now() - 26 * HOUR_MS);
  expect(await refusalOf(as('dewi').inquirePayment({ id }))).toBe('unavailable');

  const resolution = { id, outcome: Outcome.FAILED, evidence: EVIDENCE };
  expect(await refusalOf(as().resolvePayment(resolution))).toBe('unauthorized');
  expect(await refusalOf(as('dewi').resolvePayment(resolution))).toBe('forbidden');
  for (let i = 0; i < 2; i++) expect(await refusalOf(as('ana').resolvePayment(resolution))).toBe('approval_needed');
  // Other evidence is another command.
  expect(await refusalOf(as('ben').resolvePayment({ ...resolution, evidence: 'a call' }))).toBe('approval_needed');
  expect(await as('ben').resolvePayment(resolution)).toMatchObject({ state: 'failed' });
  expect(commands.at(-1)).toMatchObject({
    ...{ operator: 'ben', proposer: 'ana', target: `card-payment:${id}` },
    ...{ before: '{"status":"authorising"}', after: expect.stringContaining(EVIDENCE) },
  });
  const after = await as('dewi').showPayment({ id });
  expect(after.decisions).toMatchObject([{ outcome: 'failed', evidence: EVIDENCE, proposer: 'ana', approver: 'ben' }]);
  expect(after.history.map(({ state }) => state)).toEqual(['authorising', 'failed']);
  expect(eventsOf(await parts.find(id))).toEqual(['decided', 'failed']);
  expect([await list(AttentionKind.UNSPECIFIED, 0), acquirer.cards]).toEqual([[], []]);
});

test('an inquiry follows what the acquirer says now', async () => {
  const { acquirer, context, id } = await waiting('capturing');
  const { as } = await serve(context);
  acquirer.away.is = false;
  const inquired = await as('dewi').inquirePayment({ id });
  expect(inquired).toMatchObject({ stateBefore: 'capturing', state: 'captured', acquirerSays: 'authorised' });
  expect(acquirer.held.get(id)?.captures).toBe(1);
  expect(await refusalOf(as('dewi').inquirePayment({ id: newId() }))).toBe('transaction_not_found');
});

test('evidence is needed, and has no card number', async () => {
  const { context, id } = await waiting('authorising');
  const given = (evidence: string) => create(ResolvePaymentRequestSchema, { id, outcome: Outcome.FAILED, evidence });
  for (const evidence of ['', ' ', 'x'.repeat(1_001), 'a\u0000', 'card 4811 1111 1111 1114'])
    expect(await refusalOf(resolvePayment(context, given(evidence), asTwo()))).toBe('validation');
  expect(await refusalOf(resolve(context, id, Outcome.UNSPECIFIED))).toBe('validation');
  expect((await parts.find(id)).state.status).toBe('authorising');
});

test('an acquirer that may still tell has a day, counted from what it was asked last', async () => {
  const { acquirer, context, id, goTo, later, waitInVain } = await setUp();
  await placePayment(context, id, newOrder(), card());
  await goTo(DAY_MS);
  later(5 * DAY_MS);
  acquirer.away.is = true;
  await until(cancel(context, own(id)));
  const refunding = await parts.find(id);
  expect([refunding.state.status, refunding.document.unresolved_at]).toEqual(['refunding', undefined]);
  expect(await refusalOf(resolve(context, id, Outcome.REFUNDED))).toBe('bad_request');
  await waitInVain();
  expect(await resolve(context, id, Outcome.REFUNDED)).toEqual({ state: 'refunded' });
});

describe('what the acquirer says after operators have decided', () => {
  /** The acquirer is back, and stands so. */
  const isBack = async ({ acquirer, context, id }: SetUp, status: 'authorised' | 'captured' | 'voided' | 'refunded') => {
    acquirer.away.is = false;
    const held = acquirer.held.get(id) ?? { captures: 0, voids: 0, refunds: new Set<string>() };
    acquirer.held.set(id, { ...held, status });
    await report(context, id);
  };
  const alertsOf = (context: Context) => {
    const reports: string[] = [];
    context.metrics.contradicted = (what) => void reports.push(what);
    return reports;
  };

  test.each<
    [string, Parameters<typeof waiting>[0], Outcome, Parameters<typeof isBack>[1], PaymentState['status'], bigint, string[]]
  >([
    ['that it has it all the same', 'authorising', Outcome.FAILED, 'authorised', 'failed', 0n, ['late-authorised']],
    ['that it has declined it', 'authorising', Outcome.AUTHORISED, 'voided', 'failed', 0n, ['lose']],
    ['that it has captured it', 'capturing', Outcome.FAILED, 'authorised', 'failed', 0n, ['late-authorised']],
    ['that it has not captured it', 'capturing', Outcome.CAPTURED, 'voided', 'withdrawn', 0n, ['withdraw']],
    ['that it has refunded it', 'refunding', Outcome.CAPTURED, 'refunded', 'withdrawn', 0n, ['withdraw']],
    ['that it has not refunded it', 'refunding', Outcome.REFUNDED, 'captured', 'refunded', 0n, ['not-refunded']],
    ['that it has not voided it', 'voiding', Outcome.VOIDED, 'captured', 'cancelled', 0n, ['not-cancelled']],
    ['that it has voided it', 'voiding', Outcome.AUTHORISED, 'voided', 'failed', 0n, ['lose']],
    ['the same', 'refunding', Outcome.REFUNDED, 'refunded', 'refunded', 0n, []],
  ])('%s is alerted, and moves no money twice', async (_what, from, outcome, says, status, available, alerts) => {
    const one = await waiting(from);
    const reports = alertsOf(one.context);
    await resolve(one.context, one.id, outcome);
    await isBack(one, says);
    const after = await one.goTo(3 * DAY_MS);
    await report(one.context, one.id);
    expect([after.state.status, one.ledger.balance]).toEqual([status, { pending: 0n, available }]);
    expect([...new Set(reports)]).toEqual(alerts);
  });

  test('an answer that was on its way is followed: what has failed here is given up there', async () => {
    const one = await waiting('authorising');
    const { acquirer, context, id } = one;
    const reports = alertsOf(context);
    let answer = () => {};
    const arrived = new Promise<void>((done) => {
      answer = done;
    });
    let isAsked = () => {};
    const asked = new Promise<void>((done) => {
      isAsked = done;
    });
    acquirer.away.is = false;
    acquirer.held.set(id, { status: 'authorised', captures: 0, voids: 0, refunds: new Set() });
    const slow: Context = {
      ...context,
      inProgress: new Set(),
      rail: {
        ...context.rail,
        resolve: async (...given) => {
          const said = await context.rail.resolve(...given);
          isAsked();
          await arrived;
          return said;
        },
      },
    };
    const inquiry = onPaymentDue(slow, await parts.find(id));
    await asked;
    expect(await resolve(context, id, Outcome.FAILED)).toEqual({ state: 'failed' });
    answer();
    await inquiry;
    const after = await one.goTo(DAY_MS);
    expect([after.state.status, acquirer.held.get(id)?.status, reports]).toEqual(['failed', 'voided', ['late-authorised']]);
    expect([one.ledger.keys(), eventsOf(after)]).toEqual([[], ['decided', 'failed']]);
  });
});

test('what operators have decided is compared with the acquirer for a fortnight', async () => {
  const { acquirer, context, id, later } = await waiting('authorising');
  await resolve(context, id, Outcome.FAILED);
  const due = async () => (await parts.find(id)).document.due_at?.getTime() ?? 0;
  const watch = async () => {
    later((await due()) - context.clock.now());
    await onDue(context, await parts.find(id));
  };
  // It is still away; then it does not know the payment; then it has it all the same.
  await watch();
  acquirer.away.is = false;
  await watch();
  expect((await parts.find(id)).state.status).toBe('failed');
  acquirer.held.set(id, { status: 'authorised', captures: 0, voids: 0, refunds: new Set() });
  await watch();
  expect([(await parts.find(id)).state.status, acquirer.held.get(id)?.status]).toEqual(['failed', 'voided']);
  let asks = 3;
  for (; (await due()) > 0 && asks < 40; asks++) await watch();
  expect(asks).toBe(28);
});

test('of two decisions at once one counts, and the other is refused', async () => {
  const { context, ledger, id, open, goTo, acquirer } = await waiting('authorising');
  const other = await open();
  const both = await Promise.allSettled([resolve(context, id, Outcome.FAILED), resolve(other, id, Outcome.AUTHORISED)]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  acquirer.away.is = false;
  await goTo(5 * DAY_MS);
  const after = await parts.find(id);
  expect(after.document.decisions).toHaveLength(1);
  expect(['failed', 'capturing']).toContain(after.state.status);
  expect(ledger.keys()).toEqual([]);
});

describe('a contested payment', () => {
  test('is taken when the balance allows, and not before', async () => {
    const { context, ledger, id } = await contested();
    const { as } = await serve(context);
    const listed = await as('dewi').listAttention({ kind: AttentionKind.CONTESTED, limit: 500 });
    expect(listed.items.filter(({ payment }) => payment?.id === id)).toHaveLength(1);
    const decision = { id, decision: ContestedDecision.WITHDRAW, evidence: EVIDENCE };
    expect(await refusalOf(as('dewi').decideContested(decision))).toBe('forbidden');
    expect(await refusalOf(as('ana').decideContested(decision))).toBe('approval_needed');
    expect(await refusalOf(as('ben').decideContested(decision))).toBe('insufficient_balance');
    expect([(await parts.find(id)).state.status, ledger.balance.available]).toEqual(['contested', 1n]);
    ledger.balance.available = AMOUNT + 5n;
    expect(await choose(context, id, ContestedDecision.WITHDRAW)).toEqual({ state: 'withdrawn' });
    expect(await choose(context, id, ContestedDecision.WITHDRAW)).toEqual({ state: 'withdrawn' });
    expect([ledger.balance.available, ledger.suspense.sen]).toEqual([5n, 0n]);
    expect(eventsOf(await parts.find(id))).toEqual(['succeeded', 'decided', 'decided', 'refunded']);
    expect(await refusalOf(choose(context, id, ContestedDecision.WRITE_OFF))).toBe('bad_request');
  });

  test('is written off: suspense bears it, and the merchant keeps the money', async () => {
    const { context, ledger, id } = await contested();
    expect(await choose(context, id, ContestedDecision.WRITE_OFF)).toEqual({ state: 'written-off' });
    expect([ledger.balance.available, ledger.suspense.sen]).toEqual([1n, -AMOUNT]);
    expect(eventsOf(await parts.find(id))).toEqual(['succeeded', 'decided']);
    expect(await refusalOf(cancel(context, own(id)))).toBe('transaction_failed');
  });

  test('is dismissed where the acquirer has it again; taken back once more, it is taken', async () => {
    const { acquirer, context, ledger, id } = await contested();
    Object.assign(acquirer.held.get(id) ?? {}, { status: 'captured' });
    expect(await choose(context, id, ContestedDecision.DISMISS)).toEqual({ state: 'settled' });
    ledger.balance.available = AMOUNT;
    Object.assign(acquirer.held.get(id) ?? {}, { status: 'refunded' });
    await report(context, id);
    expect([(await parts.find(id)).state.status, ledger.balance.available]).toEqual(['withdrawn', 0n]);
  });
});

const STEPS = 7;
const deaths = Array.from({ length: STEPS }, (_, i) => ({ step: i + 1, when: 'after' as const }));

describe('where the process dies while it decides', () => {
  test.each(deaths)('after step $step a resolved refund is made or returned once', async (death) => {
    const one = await waiting('refunding');
    const { context, ledger, id, open, goTo } = one;
    await until(resolve(await open(dying(death)), id, Outcome.CAPTURED));
    await until(resolve(context, id, Outcome.CAPTURED));
    await goTo(DAY_MS);
    expect([(await parts.find(id)).state.status, ledger.balance.available]).toEqual(['settled', AMOUNT]);
    expect((await parts.find(id)).document.decisions).toHaveLength(1);
  });

  test.each(deaths)('after step $step a write-off is booked once', async (death) => {
    const { context, ledger, id, open, goTo } = await contested();
    await until(choose(await open(dying(death)), id, ContestedDecision.WRITE_OFF));
    await until(choose(context, id, ContestedDecision.WRITE_OFF));
    await goTo(DAY_MS);
    expect([(await parts.find(id)).state.status, ledger.suspense.sen]).toEqual(['written-off', -AMOUNT]);
  });

  test('the tables have a row for every step', async () => {
    const [refunding, other] = [await waiting('refunding'), await contested()];
    const [resolving, deciding] = [dying(undefined), dying(undefined)];
    await resolve(await refunding.open(resolving), refunding.id, Outcome.CAPTURED);
    await choose(await other.open(deciding), other.id, ContestedDecision.WRITE_OFF);
    const counts = [resolving.steps(), deciding.steps()];
    expect(counts.every((count) => count > 3 && count <= STEPS)).toBe(true);
  });
});
