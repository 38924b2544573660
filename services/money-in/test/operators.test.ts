import { createClock, newUlid } from '@gerbang/core';
import type { OperatorKey } from '@gerbang/neighbours';
import { ReversalDecision } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { RailDecision, ReversalKind } from '@gerbang/proto/gerbang/money_in/v1/rail';
import { Outcome } from '@gerbang/proto/gerbang/operator/v1/operator';
import { eventually } from '@gerbang/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  budi,
  dewi,
  type FakeMerchant,
  type MoneyIn,
  newVirtualAccount,
  refusalOf,
  sari,
  tono,
  useMoneyIn,
  vaPayment,
} from './harness.ts';

/** Who may do what of what operators do here, and what needs two of them. */

const AMOUNT = 50_000_00n;
const world = useMoneyIn();
const clock = createClock();
let moneyIn: MoneyIn;

beforeAll(async () => {
  moneyIn = await world.start(world.newDatabase(), clock);
});

type Commands = ReturnType<MoneyIn['as']>;
/** Something to decide: a decision on it, its payment, and what the books show of it. */
type Open = { decide(commands: Commands): Promise<unknown>; id: string; books(): bigint };
type Kind = { decision: string; method: string; open(): Promise<Open>; undecided: bigint; decided: bigint; after: object };

const newMerchant = () => world.newMerchant({ partition: newUlid(clock.now()) });
const balance = (name: string) => world.books.get(name) ?? 0n;

/** A payment of 50,000 that is credited to no account yet. */
async function suspend(merchant: FakeMerchant): Promise<string> {
  const { number } = await newVirtualAccount(moneyIn, merchant, { amountSen: 2n * AMOUNT });
  const payment = vaPayment(clock, number, { moneyTaken: true });
  expect((await moneyIn.rail.notifyPayment(payment)).decision).toBe(RailDecision.SUSPENDED);
  return `va:bank:${payment.railReference}`;
}

/** A payment of 50,000 whose rail wants back the half of it. */
async function contest({ merchantId, accountId }: FakeMerchant): Promise<string> {
  const { qrisTransaction } = await moneyIn.qris.generateQris({ merchantId, accountId, amountSen: AMOUNT });
  const partnerReference = qrisTransaction?.reffNo ?? expect.fail('no code');
  const named = { partnerId: 'acquirer', railReference: `q-${partnerReference}` };
  const payable = { case: 'qris' as const, value: { partnerReference } };
  expect((await moneyIn.rail.notifyPayment(vaPayment(clock, '', { ...named, payable }))).decision).toBe(RailDecision.ACCEPTED);
  const told = { rail: 'qris', ...named, partnerReference, kind: ReversalKind.REFUNDED, amountSen: AMOUNT / 2n };
  await moneyIn.rail.notifyReversed({ ...told, reportedAtMs: BigInt(clock.now()) });
  return `qris:acquirer:${named.railReference}`;
}

const KINDS: Kind[] = [
  {
    decision: 'crediting from suspense',
    method: 'CreditSuspense',
    undecided: AMOUNT,
    decided: 0n,
    after: { outcome: 'credited' },
    async open() {
      const merchant = newMerchant();
      const { merchantId, accountId, partition } = merchant;
      const id = await suspend(merchant);
      return {
        id,
        decide: ({ suspense }) => suspense.creditSuspense({ operator: 'sari', id, merchantId, accountId }),
        books: () => balance(`${partition}/suspense:va`),
      };
    },
  },
  {
    decision: 'refunding from suspense',
    method: 'RefundSuspense',
    undecided: AMOUNT,
    decided: 0n,
    after: { outcome: 'refunded' },
    async open() {
      const merchant = newMerchant();
      const id = await suspend(merchant);
      return {
        id,
        decide: ({ suspense }) => suspense.refundSuspense({ operator: 'sari', id }),
        books: () => balance(`${merchant.partition}/suspense:va`),
      };
    },
  },
  {
    decision: 'bearing a reversal',
    method: 'DecideReversal',
    undecided: 0n,
    decided: -AMOUNT,
    after: { outcome: 'borne' },
    async open() {
      const merchant = newMerchant();
      const id = await contest(merchant);
      return {
        id,
        decide: ({ reversals }) => reversals.decideReversal({ operator: 'sari', id, decision: ReversalDecision.BEAR }),
        books: () => balance(`${merchant.partition}/suspense:qris`),
      };
    },
  },
];

describe.each(KINDS)('$decision', ({ method, open, undecided, decided, after }) => {
  test('needs a token', async () => {
    const { decide, books } = await open();
    expect((await refusalOf(decide(moneyIn.as())))[0]).toBe('unauthorized');
    expect(books()).toBe(undecided);
  });

  test.each([
    ['who only looks', dewi],
    ['in support', tono],
  ])('is not for one %s', async (_who, key: OperatorKey) => {
    const { decide, books } = await open();
    expect((await refusalOf(decide(moneyIn.as(key))))[0]).toBe('forbidden');
    expect(books()).toBe(undecided);
  });

  test('is not one person’s, however often and under whichever name', async () => {
    const { decide, books } = await open();
    for (let i = 0; i < 3; i++) expect((await refusalOf(decide(moneyIn.as(budi))))[0]).toBe('approval_needed');
    expect(books()).toBe(undecided);
  });

  test('is done once by two, and the audit log has both', async () => {
    const { decide, books, id } = await open();
    const begun = world.commands.length;
    await refusalOf(decide(moneyIn.as(budi)));
    await decide(moneyIn.as(sari));
    expect(books()).toBe(decided);
    const ends = () => world.commands.slice(begun);
    expect(await eventually('its end is told', () => ends()[1]?.outcome === Outcome.DONE && ends())).toMatchObject([
      { operator: 'budi', method, outcome: Outcome.PROPOSED },
      { operator: 'sari', proposer: 'budi', method, target: `payment:${id}` },
    ]);
    expect(JSON.parse(ends()[1]?.before ?? '')).toMatchObject({ rail: id.split(':', 1)[0], amount: '50000.00' });
    expect(JSON.parse(ends()[1]?.after ?? '')).toMatchObject(after);
    expect((await refusalOf(decide(moneyIn.as(sari))))[0]).toBe('approval_needed');
    expect(books()).toBe(decided);
  });
});

test('what waits and how the books compare is for everyone who is enrolled', async () => {
  const reads = ({ suspense, reversals, reconciliations }: Commands) => [
    () => suspense.listSuspense({}),
    () => reversals.listReversals({}),
    () => reconciliations.listRails({}),
  ];
  for (const read of reads(moneyIn.as())) expect((await refusalOf(read()))[0]).toBe('unauthorized');
  for (const read of reads(moneyIn.as(dewi))) expect(await read()).toBeDefined();
});

test('a decision that is refused is in the audit log with its refusal', async () => {
  const id = await suspend(newMerchant());
  await moneyIn.suspense.refundSuspense({ id });
  const { merchantId, accountId } = newMerchant();
  expect((await refusalOf(moneyIn.suspense.creditSuspense({ id, merchantId, accountId })))[0]).toBe('bad_request');
  expect(world.commands.at(-1)).toMatchObject({
    method: 'CreditSuspense',
    outcome: Outcome.REFUSED,
    refusal: 'bad_request',
    target: `payment:${id}`,
  });
});
