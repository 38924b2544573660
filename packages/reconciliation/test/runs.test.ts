import { create } from '@bufbuild/protobuf';
import { type AdjustableClock, createClock, RefusalError } from '@gerbang/core';
import { newOperatorKey, type OperatorKey, operatorAuthorizer, publicKeyOf } from '@gerbang/neighbours';
import {
  BeginRequestSchema,
  BeginResponseSchema,
  CheckOperatorRequestSchema,
  FinishRequestSchema,
  Outcome,
  Role,
} from '@gerbang/proto/gerbang/operator/v1/operator';
import { ReconciliationService } from '@gerbang/proto/gerbang/reconciliation/v1/reconciliation';
import { HistoryError, type HistoryRow } from '@gerbang/rails';
import { openChannel, startRpcServer } from '@gerbang/rpc';
import { createMetrics } from '@gerbang/runtime';
import type { OperatorGate } from '@gerbang/service/operators';
import { connectStore, type Store } from '@gerbang/store';
import { eventually, startTestMongo, type TestMongo, testLog } from '@gerbang/testkit';
import { createOperatorGate } from '@gerbang/testkit/operator-gate';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDays } from '../src/days.ts';
import { openDifferences } from '../src/differences.ts';
import { newReconciliation, toDifferences } from '../src/document.ts';
import type { OurPayment } from '../src/match/payment.ts';
import { openReconciliations } from '../src/open.ts';
import type { ReconciledRail } from '../src/rail.ts';
import { at, DAY, memoryRail, ours, row, rowOf } from './memory-rail.ts';

const NEXT_DAY = '2026-11-22';
const ani = await newOperatorKey('ani');
const dewi = await newOperatorKey('dewi');

let mongo: TestMongo;
let store: Store;
let databases = 0;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(async () => {
  await mongo?.stop();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function newStore(): Promise<Store> {
  const made = await connectStore({ uri: mongo.uri, database: `${mongo.databasePrefix}${++databases}`, appName: 'test' });
  closing.push(() => made.close());
  return made;
}

/** A clock that stands at a time of the day, and moves only when it is told. */
function clockAt(time: string): AdjustableClock & { goTo(time: string): void } {
  const clock = createClock(() => at(time));
  return { ...clock, goTo: (later) => clock.setOffset(at(later) - at(time)) };
}

/** The gate of ani, who is in support, and dewi, who only looks; and what it has logged. */
function openGate() {
  const { commands, handlers } = createOperatorGate([
    { id: 'ani', role: Role.SUPPORT, publicKey: publicKeyOf(ani) },
    { id: 'dewi', role: Role.VIEWER, publicKey: publicKeyOf(dewi) },
  ]);
  const gate: OperatorGate = {
    service: 'tested',
    log: testLog(),
    begin: async (request) => create(BeginResponseSchema, await handlers.begin(create(BeginRequestSchema, request))),
    finish: (request) => handlers.finish(create(FinishRequestSchema, request)),
    checkOperator: (request) => handlers.checkOperator(create(CheckOperatorRequestSchema, request)),
  };
  return { gate, commands };
}

/** One replica; `rpc` is ani's. */
async function start(rail: ReconciledRail, clock: AdjustableClock, leaseMs = 60_000) {
  const registry = createMetrics('test');
  const { gate, commands } = openGate();
  const reconciliations = await openReconciliations({
    store,
    rails: [rail],
    clock,
    gate,
    registry,
    log: testLog(),
    leaseMs,
  });
  const server = await startRpcServer({
    host: '127.0.0.1',
    port: 0,
    tls: undefined,
    log: testLog(),
    ready: () => true,
    implementations: [reconciliations.implementation],
  });
  const channel = openChannel({ address: `127.0.0.1:${server.port}`, tls: undefined });
  closing.push(
    () => reconciliations.close(),
    () => server.close(),
    () => channel.close(),
  );
  const as = (key: OperatorKey) => channel.client(ReconciliationService, { authorize: operatorAuthorizer(key, 'tested') });
  const rpc = as(ani);
  const dayIs = (day: string, status: string, runs = 1) =>
    eventually(`${day} is ${status}`, async () => {
      const { items } = await rpc.listReconciliations({ rail: 'bank', day, limit: 10 });
      return items.find((item) => item.status === status && item.runs >= runs);
    });
  const differences = async (state = 'open') => {
    const { items } = await rpc.listDifferences({ rail: 'bank', day: DAY, state, limit: 100 });
    return items;
  };
  const unsigned = channel.client(ReconciliationService);
  return { rpc, as, unsigned, commands, reconciled: reconciliations.reconciled, registry, dayIs, differences };
}

describe('a business day', () => {
  it('is compared at 01:00 of the next one, and the next one is planned', async () => {
    store = await newStore();
    const payment = ours('10:00');
    const clock = clockAt('23:00');
    const { dayIs, rpc } = await start(memoryRail([payment], [rowOf(payment)]), clock);
    clock.goTo('24:59');
    expect((await rpc.listReconciliations({ limit: 10 })).items).toMatchObject([{ day: DAY, status: 'waiting', runs: 0 }]);
    clock.goTo('25:00');
    expect(await dayIs(DAY, 'done')).toMatchObject({
      by: 'timer',
      matched: 1n,
      differences: 0n,
      open: 0n,
      oursCount: 1n,
      railSen: 10_000_00n,
      runs: 1,
    });
    expect((await rpc.listReconciliations({ limit: 10 })).items).toMatchObject([
      { day: NEXT_DAY, status: 'waiting', dueAtMs: BigInt(at('49:00')) },
      { day: DAY, status: 'done' },
    ]);
  });

  it('is made up for where nothing ran for days, one day after the other', async () => {
    store = await newStore();
    const payments = [ours('10:00'), ours('34:00')];
    const rail = memoryRail(
      payments,
      payments.map((payment) => rowOf(payment)),
    );
    await openDays(store).plan('bank', DAY);
    const { dayIs } = await start(rail, clockAt('73:30'));
    for (const day of [DAY, NEXT_DAY, '2026-11-23']) await dayIs(day, 'done');
  });

  it('is compared by one replica, though several look', async () => {
    store = await newStore();
    const payment = ours('10:00');
    let listings = 0;
    const rail = memoryRail([payment], [rowOf(payment)]);
    const counted: ReconciledRail = {
      ...rail,
      history: {
        ...rail.history,
        list(period, options) {
          if (period.fromMs === at('-01:00')) listings++;
          return rail.history.list(period, options);
        },
      },
    };
    const clock = clockAt('23:00');
    const replicas = [await start(counted, clock), await start(counted, clock), await start(counted, clock)];
    clock.goTo('25:00');
    for (const { dayIs } of replicas) expect(await dayIs(DAY, 'done')).toMatchObject({ runs: 1 });
    expect(listings).toBe(1);
  });

  it('that could not be read is tried again, and says why', async () => {
    store = await newStore();
    const payment = ours('10:00');
    const rail = memoryRail([payment], [rowOf(payment)]);
    let isBroken = true;
    const clock = clockAt('25:00');
    const { dayIs, differences } = await start(
      {
        ...rail,
        history: {
          ...rail.history,
          async *list(period, options) {
            if (isBroken) throw new HistoryError('no answer in time');
            yield* rail.history.list(period, options);
          },
        },
      },
      clock,
    );
    await openDays(store).request('bank', DAY, 'timer', at('25:00'));
    expect(await dayIs(DAY, 'failed')).toMatchObject({ problem: 'no answer in time', dueAtMs: BigInt(at('25:01')) });
    expect(await differences()).toEqual([]);
    isBroken = false;
    clock.goTo('25:01');
    expect(await dayIs(DAY, 'done')).toMatchObject({ problem: '', runs: 2 });
  });
});

describe('a run that died', () => {
  it('is begun anew after its lease, and what it has written already is not there twice', async () => {
    store = await newStore();
    const payment = ours('10:00', { id: 'X' });
    const days = openDays(store);
    await days.plan('bank', DAY);
    const run = await days.begin(newReconciliation('bank', DAY, { atMs: 0, by: 'timer' }), at('25:00'));
    const found = { kind: 'missing-at-rail' as const, reason: 'r', ours: payment, row: undefined };
    const gone = { kind: 'missing-here' as const, reason: 'r', ours: undefined, row: row('11:00', 'GONE') };
    const stored = toDifferences([found, gone], { rail: 'bank', day: DAY, run: 1, nowMs: 0 });
    await (await openDifferences(store)).replace({ rail: 'bank', day: DAY, run: 1 }, stored);
    expect(run).toMatchObject({ number: 1 });

    const { dayIs, differences } = await start(memoryRail([payment], []), clockAt('25:00'));
    expect(await dayIs(DAY, 'done')).toMatchObject({ runs: 2, differences: 1n });
    expect(await differences()).toMatchObject([{ kind: 'missing-at-rail', ours: { paymentId: 'X' } }]);
  });

  it('writes nothing when another one has begun meanwhile', async () => {
    store = await newStore();
    const days = openDays(store);
    await days.plan('bank', DAY);
    const document = newReconciliation('bank', DAY, { atMs: 0, by: 'timer' });
    const first = (await days.begin(document, 0)) ?? expect.fail('it was not begun');
    expect(await days.begin(document, 0)).toBeUndefined();
    const second = (await days.begin({ ...document, run: 1 }, 0)) ?? expect.fail('it was not begun');
    const nothing = { count: 0, sumSen: 0n };
    const summary = { ours: nothing, rail: nothing, matched: 0, open: 0, differences: 0, comparedAtMs: 0, by: 'timer' };
    expect(await days.renew(first, 1_000)).toBe(false);
    expect(await days.finish(first, summary, { nowMs: 0, againAtMs: undefined })).toBe(false);
    await days.fail(first, 'late', { nowMs: 0, retryAtMs: 0 });
    expect(await days.find('bank', DAY)).toMatchObject({ status: 'running', problem: '' });
    expect(await days.finish(second, summary, { nowMs: 0, againAtMs: undefined })).toBe(true);
    expect(await days.find('bank', DAY)).toMatchObject({ status: 'done', dueAtMs: undefined });
  });
});

describe('differences', () => {
  /** A day with one payment that the rail lacks and one row that we lack, compared. */
  async function differing() {
    store = await newStore();
    const payments: OurPayment[] = [ours('10:00', { id: 'X', merchantId: 'm7', railReference: 'R7' })];
    const rows: HistoryRow[] = [row('15:00', 'UNKNOWN 99887766', { amountSen: 5_00n, railTransactionId: 'B1' })];
    const clock = clockAt('23:00');
    const replica = await start(memoryRail(payments, rows), clock);
    clock.goTo('25:00');
    await replica.dayIs(DAY, 'done');
    return { ...replica, clock, payments, rows };
  }

  it('have both sides, and are counted', async () => {
    const { differences, registry } = await differing();
    const found = await differences();
    expect(found.map(({ ours, row }) => [ours !== undefined, row !== undefined])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(found).toMatchObject([
      {
        kind: 'missing-at-rail',
        state: 'open',
        ours: { paymentId: 'X', merchantId: 'm7', railReference: 'R7', amountSen: 10_000_00n, atMs: BigInt(at('10:00')) },
      },
      {
        kind: 'missing-here',
        row: { remark: 'UNKNOWN 99887766', amountSen: 5_00n, railTransactionId: 'B1', atMs: BigInt(at('15:00')) },
      },
    ]);
    const metrics = await registry.metrics();
    expect(metrics).toMatch(/gerbang_reconciliation_differences\{[^}]*rail="bank",kind="missing-here"[^}]*\} 1/);
    expect(metrics).toMatch(/gerbang_reconciliation_differences\{[^}]*rail="bank",kind="amount"[^}]*\} 0/);
    expect(metrics).toMatch(/gerbang_reconciliation_last_success_timestamp_seconds\{[^}]*\} 1/);
  });

  it('stay the same when the day is compared again, and go when both sides agree', async () => {
    const { differences, dayIs, rpc, rows, payments } = await differing();
    const before = await differences();
    await rpc.runReconciliation({ rail: 'bank', day: DAY });
    expect(await dayIs(DAY, 'done', 2)).toMatchObject({ by: 'ani', differences: 2n });
    expect(await differences()).toEqual(before);

    rows.splice(0, 1, ...payments.map((payment) => rowOf(payment)));
    await rpc.runReconciliation({ rail: 'bank', day: DAY });
    expect(await dayIs(DAY, 'done', 3)).toMatchObject({ differences: 0n, matched: 1n });
    expect(await differences()).toEqual([]);
  });

  it('that an operator has explained are open no more, in later runs neither', async () => {
    const { differences, dayIs, rpc, commands } = await differing();
    const [first] = await differences();
    const id = first?.id ?? expect.fail('there is none');
    await expect(rpc.explainDifference({ id, note: 'a\u202eb' })).rejects.toMatchObject({
      refusal: { refused: 'validation', errors: { note: ['must not have control characters'] } },
    });
    const { difference } = await rpc.explainDifference({ id, note: 'booked by hand on Monday' });
    expect(difference).toMatchObject({ state: 'explained', explainedBy: 'ani', note: 'booked by hand on Monday' });
    await rpc.runReconciliation({ rail: 'bank', day: DAY });
    expect(await dayIs(DAY, 'done', 2)).toMatchObject({ differences: 1n });
    expect(await differences('explained')).toMatchObject([{ id, note: 'booked by hand on Monday' }]);
    expect(await differences()).toMatchObject([{ kind: 'missing-here' }]);
    const command = { operator: 'ani', outcome: Outcome.DONE };
    expect(commands).toMatchObject([
      { operator: 'ani', outcome: Outcome.REFUSED, method: 'ExplainDifference', refusal: 'validation' },
      { ...command, method: 'ExplainDifference', target: `difference:${id}`, before: '{"state":"open"}' },
      { ...command, method: 'RunReconciliation', target: `reconciliation:bank:${DAY}`, after: '{"status":"waiting"}' },
    ]);
  });

  it('are looked for again the next night, and listed page by page', async () => {
    const { dayIs, rpc, clock } = await differing();
    expect(await dayIs(DAY, 'done')).toMatchObject({ dueAtMs: BigInt(at('49:00')) });
    clock.goTo('49:00');
    await dayIs(DAY, 'done', 2);
    const page = await rpc.listDifferences({ limit: 1 });
    expect(page.items).toMatchObject([{ kind: 'missing-at-rail' }]);
    const next = await rpc.listDifferences({ limit: 1, cursor: page.nextCursor });
    expect(next).toMatchObject({ items: [{ kind: 'missing-here' }], nextCursor: '' });
  });
});

describe('a payment', () => {
  const asked = (knownAtMs = at('10:01')) => [{ rail: 'bank', paymentId: 'X', atMs: at('10:00'), knownAtMs }];

  it('is reconciled once its day was compared, unless we got to know of it later', async () => {
    store = await newStore();
    const payment = ours('10:00', { id: 'X' });
    const clock = clockAt('23:00');
    const { reconciled, dayIs } = await start(memoryRail([payment], [rowOf(payment)]), clock);
    expect(await reconciled.of(asked())).toEqual(new Map());
    clock.goTo('25:00');
    await dayIs(DAY, 'done');
    await eventually('it is reconciled', async () => (await reconciled.of(asked())).size > 0);
    expect(await reconciled.of(asked())).toEqual(new Map([['X', { atMs: at('25:00'), by: 'system' }]]));
    expect(await reconciled.of(asked(at('26:00')))).toEqual(new Map());
  });

  it('that differs is not, until an operator has explained it', async () => {
    store = await newStore();
    const clock = clockAt('23:00');
    const { reconciled, dayIs, rpc, differences } = await start(memoryRail([ours('10:00', { id: 'X' })], []), clock);
    clock.goTo('25:00');
    await dayIs(DAY, 'done');
    const [difference] = await differences();
    expect(await reconciled.of(asked())).toEqual(new Map());
    await rpc.explainDifference({ id: difference?.id ?? '', note: 'seen' });
    await eventually('it is reconciled', async () => (await reconciled.of(asked())).size > 0);
    expect(await reconciled.of(asked())).toEqual(new Map([['X', { atMs: at('25:00'), by: 'operator' }]]));
  });
});

it('refuses what is no rail, no day, or not over yet', async () => {
  store = await newStore();
  const { rpc } = await start(memoryRail([], []), clockAt('24:30'));
  const refusals: [object, string][] = [
    [{ rail: 'moon', day: DAY }, 'rail'],
    [{ rail: 'bank', day: '2026-02-30' }, 'day'],
    [{ rail: 'bank', day: DAY }, 'day'],
  ];
  for (const [request, field] of refusals) {
    const refused = await rpc.runReconciliation(request).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RefusalError);
    expect(refused instanceof RefusalError && Object.keys(refused.refusal.errors ?? {})).toEqual([field]);
  }
  await expect(rpc.explainDifference({ id: 'none', note: 'n' })).rejects.toThrow();
});

it('is for operators: everyone enrolled reads, support runs and explains', async () => {
  store = await newStore();
  const { as, unsigned, commands } = await start(memoryRail([], []), clockAt('25:00'));
  const codeOf = async (call: Promise<unknown>) => {
    const refused = await call.catch((error: unknown) => error);
    return refused instanceof RefusalError ? refused.refusal.refused : expect.fail('it was not refused');
  };
  const pretended = { operator: 'ani', rail: 'bank', day: DAY };
  expect(await codeOf(unsigned.runReconciliation(pretended))).toBe('unauthorized');
  for (const read of [unsigned.listRails({}), unsigned.listReconciliations({}), unsigned.listDifferences({})])
    expect(await codeOf(read)).toBe('unauthorized');
  expect(await as(dewi).listRails({})).toMatchObject({ rails: ['bank'] });
  expect(await codeOf(as(dewi).runReconciliation(pretended))).toBe('forbidden');
  expect(await codeOf(as(dewi).explainDifference({ operator: 'ani', id: 'x', note: 'n' }))).toBe('forbidden');
  expect(commands.filter(({ outcome }) => outcome === Outcome.DONE)).toEqual([]);
});
