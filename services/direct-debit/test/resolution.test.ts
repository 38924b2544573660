import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { createClock, RefusalError } from '@gerbang/core';
import { newOperatorKey, operatorAuthorizer, publicKeyOf } from '@gerbang/neighbours';
import {
  DecideDiscrepancyRequestSchema,
  DiscrepancyDecision,
  ListDiscrepanciesRequestSchema,
  ListUnresolvedRequestSchema,
  RefundChargeRequestSchema,
  ReportChargeRequestSchema,
  ResolveRequestSchema,
  SupportService,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { FeeRuleSchema } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import {
  BeginRequestSchema,
  BeginResponseSchema,
  CheckOperatorRequestSchema,
  FinishRequestSchema,
  Outcome,
  Role,
} from '@gerbang/proto/gerbang/operator/v1/operator';
import { openChannel, startRpcServer } from '@gerbang/rpc';
import type { OperatorGate } from '@gerbang/service/operators';
import { type Death, dying, testLog, untilDeathOrRefusal } from '@gerbang/testkit';
import { newLedger } from '@gerbang/testkit/ledger';
import { createOperatorGate, operatorCall, type RecordedChange } from '@gerbang/testkit/operator-gate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { onChargeDue } from '../src/charge/advance.ts';
import { placeCharge } from '../src/charge/place.ts';
import { refundCharge } from '../src/charge/rpc/refund-charge.ts';
import { isCharged } from '../src/charge/state.ts';
import { CHARGES } from '../src/charge/store.ts';
import type { Context } from '../src/context.ts';
import { onDiscrepancyDue } from '../src/discrepancy/on-due.ts';
import { decideDiscrepancy } from '../src/discrepancy/rpc/decide-discrepancy.ts';
import { listDiscrepancies } from '../src/discrepancy/rpc/list-discrepancies.ts';
import { reportCharge } from '../src/report/rpc/report-charge.ts';
import { implementations } from '../src/rpc.ts';
import { listUnresolved } from '../src/support/rpc/list-unresolved.ts';
import { resolve } from '../src/support/rpc/resolve.ts';
import { useParts } from './parts-harness.ts';
import { newBank } from './scripted-bank.ts';

const parts = useParts();
const fees = [create(FeeRuleSchema, { product: 'direct-debit', fixedSen: 4_000_00n })];
const later = createClock();
later.setOffset(25 * 3_600_000);
const AMOUNT = 100_000_00n;
const HALF = 50_000_00n;
const NET = 96_000_00n;
const { CREDIT, REFUND, WITHDRAW, BEAR } = DiscrepancyDecision;

/** How many steps a decision has, and how many a contradiction with its decision, so that the tables have a row for each. */
const RESOLUTION_STEPS = 10;
const DISCREPANCY_STEPS = 14;
/** Right after a step: the same as right before the next one. */
const deaths = (steps: number): Death[] => Array.from({ length: steps }, (_, i) => ({ step: i + 1, when: 'after' }));

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal.refused;
    throw error;
  }
  return expect.fail('it was not refused');
}

let binding: ReturnType<typeof parts.newBinding> | undefined;

/** A charge, and a refund of half of it where `of` says so, that the bank owes an answer about for a day. */
async function unresolved(of: 'charge' | 'refund', settleInMs = 0) {
  const bank = newBank();
  const ledger = newLedger();
  const before = await parts.newContext(bank, ledger, dying(), { fees, settleInMs });
  binding ??= parts.newBinding(before);
  const { merchantId, accountId, id: bindingId } = (await binding).order;
  if (of === 'charge') bank.be({ charge: 'lost' });
  const wanted = { merchantId, accountId, bindingId, referenceNumber: randomUUID(), amountSen: AMOUNT, description: '' };
  const { order } = await placeCharge(before, wanted);
  let refundId = '';
  if (of === 'refund') {
    bank.be({ refund: 'lost' });
    const refund = { merchantId, transactionId: order.id, referenceNumber: 'r', amountSen: HALF };
    refundId = (await refundCharge(before, create(RefundChargeRequestSchema, refund))).refund?.refundId ?? '';
  }
  bank.state.isSilent = true;
  const newReplica = (death?: Death) => parts.newContext(bank, ledger, dying(death), { fees, settleInMs, clock: later });
  const context = await newReplica();
  const logged: RecordedChange[] = [];
  const decide = (operator: string, outcome: string, by: Context = context) => {
    const request = create(ResolveRequestSchema, { merchantId, transactionId: order.id, refundId, outcome });
    return resolve(by, request, operatorCall(operator, logged));
  };
  const charge = async () => (await parts.charges().find(order.id)) ?? expect.fail('no charge');
  return { bank, ledger, order, id: refundId || order.id, before, context, newReplica, decide, logged, charge };
}

type Unresolved = Awaited<ReturnType<typeof unresolved>>;

/** The bank answers again: it has done what it is asked about, or it has not. */
function answers({ bank, id }: Unresolved, isDone: boolean): void {
  bank.state.isSilent = false;
  const charge = bank.charges.get(id);
  if (charge !== undefined) charge.isTaken = isDone;
  else for (const refund of bank.refunds.values()) refund.isGiven = isDone;
}

/** The timer of what is watched, until there is nothing to do any more. */
async function fireWatch(contexts: readonly Context[], id: string): Promise<string> {
  for (let round = 0; round < 4; round++) {
    const found = await parts.discrepancies().find(id);
    if (found === undefined) return 'none';
    const { status } = found.state;
    if (status !== 'watching' && status !== 'booking' && status !== 'moving') return status;
    await Promise.all(contexts.map((context) => onDiscrepancyDue(context, found)));
  }
  return expect.fail('it does not come to rest');
}

async function watched(id: string) {
  return (await parts.discrepancies().find(id)) ?? expect.fail('it is not watched');
}

function choose({ context, id }: Unresolved, decision: DiscrepancyDecision, by: Context = context) {
  return decideDiscrepancy(by, create(DecideDiscrepancyRequestSchema, { id, decision }), operatorCall('ana'));
}

test('two operators decide a charge, and it is logged; an own proposal is never approved', async () => {
  const one = await unresolved('charge');
  const { decide, before, context, ledger, id } = one;
  expect(await refusalOf(decide('ana', 'succeeded', before))).toBe('bad_request');
  expect(await refusalOf(decide('ana', 'cancel'))).toBe('validation');
  expect(await decide('ana', 'succeeded')).toEqual({ decided: false });
  expect(await decide('ana', 'succeeded')).toEqual({ decided: false });
  // The timer goes on asking, and the proposal outlives that.
  await onChargeDue(context, await one.charge());
  const { items } = await listUnresolved(context, create(ListUnresolvedRequestSchema, { limit: 500 }));
  expect(items.find(({ transactionId }) => transactionId === id)).toMatchObject({
    proposedBy: 'ana',
    proposedOutcome: 'succeeded',
  });
  expect([await decide('ben', 'succeeded'), ledger.balance]).toEqual([{ decided: true }, { pending: 0n, available: NET }]);
  expect((await one.charge()).state.status).toBe('settled');
  expect(await refusalOf(decide('ben', 'failed'))).toBe('bad_request');
  const target = `charge:${id}`;
  const proposal = { operator: 'ana', outcome: 'succeeded', proposedAtMs: expect.any(Number) };
  expect(one.logged).toEqual([
    { target, before: { status: 'sending', proposal: null }, after: { outcome: 'succeeded', step: 'proposed' } },
    { target, before: { status: 'sending', proposal }, after: { outcome: 'succeeded', step: 'proposed' } },
    { target, before: { status: 'sending', proposal }, after: { outcome: 'succeeded', step: 'approved' } },
  ]);
});

test('a proposal that is a day old counts no more', async () => {
  const { decide, context } = await unresolved('charge');
  expect(await decide('ana', 'succeeded')).toEqual({ decided: false });
  const later = { ...context, clock: { ...context.clock, now: () => context.clock.now() + 24 * 60 * 60_000 } };
  expect(await decide('ben', 'succeeded', later)).toEqual({ decided: false });
  expect(await decide('ana', 'succeeded', later)).toEqual({ decided: true });
});

test.each([
  ['charge', 'succeeded', { pending: NET, available: 0n }],
  ['charge', 'failed', { pending: 0n, available: 0n }],
  ['refund', 'succeeded', { pending: NET - HALF, available: 0n }],
  ['refund', 'failed', { pending: NET, available: 0n }],
] as const)(
  'a %s decided as %s is booked as if the bank had said so, and closes when the bank agrees',
  async (of, outcome, balance) => {
    const one = await unresolved(of, 48 * 3_600_000);
    await one.decide('ana', outcome);
    await one.decide('ben', outcome);
    expect(one.ledger.balance).toEqual(balance);
    await onDiscrepancyDue(one.context, await watched(one.id));
    expect(await refusalOf(choose(one, BEAR))).toBe('bad_request');
    answers(one, outcome === 'succeeded');
    expect([await fireWatch([one.context], one.id), one.ledger.suspense.sen]).toEqual(['closed', 0n]);
  },
);

type Contradiction = {
  of: 'charge' | 'refund';
  outcome: 'succeeded' | 'failed';
  suspenseSen: bigint;
  availableSen: bigint;
  /** The account after each decision. */
  decisions: [DiscrepancyDecision, bigint][];
};

describe.each<Contradiction>([
  {
    of: 'charge',
    outcome: 'failed',
    suspenseSen: AMOUNT,
    availableSen: 0n,
    decisions: [
      [CREDIT, NET],
      [REFUND, 0n],
    ],
  },
  {
    of: 'charge',
    outcome: 'succeeded',
    suspenseSen: -AMOUNT,
    availableSen: NET,
    decisions: [
      [WITHDRAW, 0n],
      [BEAR, NET],
    ],
  },
  {
    of: 'refund',
    outcome: 'succeeded',
    suspenseSen: HALF,
    availableSen: NET - HALF,
    decisions: [
      [CREDIT, NET],
      [REFUND, NET - HALF],
    ],
  },
  {
    of: 'refund',
    outcome: 'failed',
    suspenseSen: -HALF,
    availableSen: NET,
    decisions: [
      [WITHDRAW, NET - HALF],
      [BEAR, NET],
    ],
  },
])(
  'a $of that was decided as $outcome, and is otherwise at the bank',
  ({ of, outcome, suspenseSen, availableSen, decisions }) => {
    test.each(decisions)('waits in suspense, and is decided as %i', async (decision, afterSen) => {
      const one = await unresolved(of);
      await one.decide('ana', outcome);
      await one.decide('ben', outcome);
      const status = (await one.charge()).state;
      answers(one, outcome === 'failed');
      expect(await fireWatch([one.context], one.id)).toBe('open');
      expect([one.ledger.suspense.sen, one.ledger.balance.available]).toEqual([suspenseSen, availableSen]);
      const { items } = await listDiscrepancies(one.context, create(ListDiscrepanciesRequestSchema, { limit: 500 }));
      expect(items.filter(({ id }) => id === one.id)).toMatchObject([{ transactionId: one.order.id, refusals: 0 }]);
      await choose(one, decision);
      // The same again is the same, and another one is too late.
      await choose(one, decision);
      const other = decisions.find(([choice]) => choice !== decision)?.[0] ?? decision;
      expect(await refusalOf(choose(one, other))).toBe('bad_request');
      const isBorne = decision === BEAR;
      expect([one.ledger.suspense.sen, one.ledger.balance.available]).toEqual([isBorne ? suspenseSen : 0n, afterSen]);
      // Nothing is edited.
      expect((await one.charge()).state).toEqual(status);
    });
  },
);

test('what an account can not give waits for another decision, and is taken later', async () => {
  const one = await unresolved('charge');
  await one.decide('ana', 'succeeded');
  await one.decide('ben', 'succeeded');
  answers(one, false);
  await fireWatch([one.context], one.id);
  one.ledger.balance.available -= 1n;
  expect(await refusalOf(choose(one, WITHDRAW))).toBe('insufficient_balance');
  expect([one.ledger.suspense.sen, (await parts.discrepancies().find(one.id))?.state]).toMatchObject([
    -AMOUNT,
    { status: 'open', refusals: 1 },
  ]);
  one.ledger.balance.available += 1n;
  expect(await choose(one, WITHDRAW)).toMatchObject({ netSen: NET });
  expect([one.ledger.suspense.sen, one.ledger.balance.available]).toEqual([0n, 0n]);
});

test("the bank's notification is enough to ask about what operators have decided", async () => {
  const one = await unresolved('charge');
  await one.decide('ana', 'failed');
  await one.decide('ben', 'failed');
  const report = () => reportCharge(one.context, create(ReportChargeRequestSchema, { partnerReference: one.id }));
  expect(await refusalOf(report())).toBe('unavailable');
  answers(one, true);
  await Promise.all([report(), report(), report()]);
  expect([one.ledger.suspense.sen, (await parts.discrepancies().find(one.id))?.state.status]).toEqual([AMOUNT, 'open']);
});

describe.each<['charge' | 'refund', 'succeeded' | 'failed', bigint]>([
  ['charge', 'succeeded', NET],
  ['charge', 'failed', 0n],
  ['refund', 'succeeded', NET - HALF],
  ['refund', 'failed', NET],
])('the decision that a %s has %s', (of, outcome, availableSen) => {
  test.each(deaths(RESOLUTION_STEPS))('is booked once where the process dies $when step $step', async (death) => {
    const one = await unresolved(of);
    await one.decide('ana', outcome);
    const dead = await one.newReplica(death);
    await untilDeathOrRefusal(one.decide('ben', outcome, dead));
    await dead.background.settled();
    await untilDeathOrRefusal(one.decide('ben', outcome));
    const replicas = [await one.newReplica(), await one.newReplica()] as const;
    for (let round = 0; round < 4; round++)
      await Promise.all(replicas.map(async (replica) => onChargeDue(replica, await one.charge())));
    const { state } = await one.charge();
    const refunds = isCharged(state) ? state.refunds.map(({ stage }) => stage.status) : [];
    if (of === 'charge') expect(state.status).toBe(outcome === 'succeeded' ? 'settled' : 'failed');
    else expect(refunds).toEqual([outcome]);
    expect([one.ledger.balance, one.ledger.suspense.sen]).toEqual([{ pending: 0n, available: availableSen }, 0n]);
    answers(one, outcome === 'succeeded');
    expect(await fireWatch(replicas, one.id)).toBe('closed');
  });
});

describe.each<[string, 'failed' | 'succeeded', DiscrepancyDecision, bigint]>([
  ['surplus that is credited', 'failed', CREDIT, NET],
  ['surplus that is refunded', 'failed', REFUND, 0n],
  ['shortfall that is withdrawn', 'succeeded', WITHDRAW, 0n],
])('a %s', (_what, outcome, decision, availableSen) => {
  test.each(deaths(DISCREPANCY_STEPS))('is booked once where the process dies $when step $step', async (death) => {
    const one = await unresolved('charge');
    await one.decide('ana', outcome);
    await one.decide('ben', outcome);
    answers(one, outcome === 'failed');
    const dead = await one.newReplica(death);
    await untilDeathOrRefusal(onDiscrepancyDue(dead, await watched(one.id)).then(() => choose(one, decision, dead)));
    const replicas = [await one.newReplica(), await one.newReplica()] as const;
    await fireWatch(replicas, one.id);
    await choose(one, decision);
    expect(await fireWatch(replicas, one.id)).toBe('decided');
    expect([one.ledger.suspense.sen, one.ledger.balance.available]).toEqual([0n, availableSen]);
  });
});

test.each(['charge', 'refund'] as const)('a proposal of a %s by a name, from before operators had keys, is void', async (of) => {
  const one = await unresolved(of);
  const proposal = { operator: 'Ben S.', outcome: 'failed' };
  const field = of === 'charge' ? 'proposal' : 'refunds.0.stage.proposal';
  const stored = parts.store().collection<{ _id: string; proposal?: object }>(CHARGES);
  await stored.updateOne({ _id: one.order.id }, { $set: { [field]: proposal } });
  expect(await one.decide('ben', 'failed')).toEqual({ decided: false });
  expect(JSON.stringify(await stored.findOne({ _id: one.order.id }), (_, value) => String(value))).not.toContain('Ben S.');
  expect(await one.decide('ana', 'failed')).toEqual({ decided: true });
});

/** The service's commands behind a gate, by who gives them; without a name no one signs them. */
async function serve(context: Context) {
  const keys = { ana: await newOperatorKey('ana'), ben: await newOperatorKey('ben'), dewi: await newOperatorKey('dewi') };
  const operators = Object.values(keys).map((key) => {
    return { id: key.id, role: key.id === 'dewi' ? Role.SUPPORT : Role.FINANCE, publicKey: publicKeyOf(key) };
  });
  const { commands, handlers } = createOperatorGate(operators);
  const gate: OperatorGate = {
    service: 'direct-debit',
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
    channel.client(SupportService, operator && { authorize: operatorAuthorizer(keys[operator], 'direct-debit') });
  return { as, commands };
}

test('commands are for those whose key and role may give them; what a discrepancy is takes two, once', async () => {
  const one = await unresolved('charge');
  const { as, commands } = await serve(one.context);
  const { merchantId, id: transactionId } = one.order;
  const resolution = { merchantId, transactionId, outcome: 'succeeded' };
  expect(await refusalOf(as().resolve(resolution))).toBe('unauthorized');
  expect(await refusalOf(as().listUnresolved({ limit: 1 }))).toBe('unauthorized');
  expect(await refusalOf(as('dewi').resolve(resolution))).toBe('forbidden');
  for (const operator of ['ana', 'Ana ', 'ben']) {
    expect((await as('ana').resolve({ ...resolution, operator })).decided).toBe(false);
  }
  expect((await as('ben').resolve({ ...resolution, operator: 'ana' })).decided).toBe(true);
  answers(one, false);
  await fireWatch([one.context], one.id);
  const decision = { id: one.id, decision: WITHDRAW };
  expect(await refusalOf(as().decideDiscrepancy(decision))).toBe('unauthorized');
  expect(await refusalOf(as('dewi').decideDiscrepancy(decision))).toBe('forbidden');
  for (let i = 0; i < 2; i++) expect(await refusalOf(as('ana').decideDiscrepancy(decision))).toBe('approval_needed');
  expect([one.ledger.suspense.sen, one.ledger.balance.available]).toEqual([-AMOUNT, NET]);
  expect((await as('ben').decideDiscrepancy(decision)).netSen).toBe(NET);
  expect([one.ledger.suspense.sen, one.ledger.balance.available]).toEqual([0n, 0n]);
  expect(commands.at(-1)).toMatchObject({
    ...{ operator: 'ben', proposer: 'ana', outcome: Outcome.DONE, target: `discrepancy:${one.id}` },
    ...{ before: expect.stringContaining('"status":"open"'), after: '{"decision":"withdraw"}' },
  });
});

test('the tables have a row for every step', async () => {
  const one = await unresolved('charge');
  const counted = dying();
  const context = await parts.newContext(one.bank, one.ledger, counted, { fees, clock: later });
  await one.decide('ana', 'succeeded');
  await one.decide('ben', 'succeeded', context);
  const deciding = counted.steps();
  answers(one, false);
  await onDiscrepancyDue(context, await watched(one.id));
  await choose(one, WITHDRAW, context);
  expect([deciding, counted.steps() - deciding].every((count) => count > 5)).toBe(true);
  expect(deciding).toBeLessThanOrEqual(RESOLUTION_STEPS);
  expect(counted.steps() - deciding).toBeLessThanOrEqual(DISCREPANCY_STEPS);
});
