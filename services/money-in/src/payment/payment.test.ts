import { isRefusal } from '@gerbang/core';
import { describe, expect, test } from 'vitest';
import { decide, evolve } from './payment.ts';
import type { FeeBreakdown, PaymentCommand, PaymentState, Report } from './state.ts';

const NOW = 1_000_000;
const fees: FeeBreakdown = {
  amountSen: 500n,
  feeSen: 20n,
  netSen: 480n,
  vendorFeeSen: 5n,
  ourMarginSen: 15n,
  basisPoints: 0,
  settleAtMs: NOW + 5,
};
const refund: Report = { kind: 'refunded', reportedAtMs: NOW };
const failure: Report = { kind: 'failed', reportedAtMs: NOW };
const reverse = (over: Partial<Extract<PaymentCommand, { type: 'reverse' }>> = {}) =>
  ({ type: 'reverse', report: refund, isWhole: true, ...over }) as const;

const received: PaymentState = { status: 'received' };
const accept: PaymentCommand = { type: 'accept', fees };
const reject: PaymentCommand = { type: 'reject', reason: 'unknown', taken: true };

/** Given commands that have been carried out, the state after them. */
function given(...commands: PaymentCommand[]): PaymentState {
  return commands.reduce(next, received);
}

function next(state: PaymentState, command: PaymentCommand): PaymentState {
  const events = decide(state, command, NOW);
  if (isRefusal(events)) throw new Error(`${command.type} was refused: ${events.message}`);
  return events.reduce(evolve, state);
}

const paid = given(accept, { type: 'pay' });
const settled = next(paid, { type: 'settle' });
const suspended = given(reject, { type: 'suspend' });
const contested = next(settled, reverse({ isWhole: false }));
const reversed = given(accept, { type: 'pay' }, reverse(), { type: 'finish-reversal' });
const withdrawn = (report: Report): PaymentState => ({ status: 'withdrawn', report });

describe('a payment that its rail reverses', () => {
  test.each([
    ['before it has settled', paid, reverse(), 'reversing'],
    ['after it has settled', settled, reverse(), 'reversing'],
    ['in part', settled, reverse({ isWhole: false }), 'contested'],
    [
      'though all of it was a fee',
      evolve({ status: 'accepted', fees: { ...fees, netSen: 0n } }, { type: 'paid' }),
      reverse(),
      'contested',
    ],
    ['while it is in suspense', suspended, reverse(), 'refunding'],
    ['in part, while it is in suspense', suspended, reverse({ isWhole: false }), 'suspended'],
    ['again', reversed, reverse(), 'reversed'],
    ['again, while an operator decides', contested, reverse(), 'contested'],
    ['after an operator has given it back', next(suspended, { type: 'refund' }), reverse(), 'refunding'],
    ['that it has not reported as paid', withdrawn(failure), reverse(), 'withdrawn'],
  ] as const)('%s', (_when, state, command, status) => {
    expect(next(state, command).status).toBe(status);
  });

  test.each([
    ['has taken no use yet', received],
    ['is not credited yet', given(accept)],
    ['is not in suspense yet', given(reject)],
  ])('that %s comes again', (_what, state) => {
    expect(decide(state, reverse(), NOW)).toMatchObject({ refused: 'unavailable' });
  });

  test('keeps its fees and when it settled', () => {
    expect(next(settled, reverse())).toMatchObject({
      fees,
      settledAtMs: NOW,
      reversal: { takenFrom: 'account', attempt: 1 },
    });
    expect(reversed).toMatchObject({ fees, settledAtMs: undefined });
  });

  test.each(['accept', 'pay', 'settle'] as const)('can not %s any more', (type) => {
    const command: PaymentCommand = type === 'accept' ? accept : { type };
    for (const state of [next(paid, reverse()), contested, reversed])
      expect(decide(state, command, NOW)).toMatchObject({ refused: 'bad_request' });
  });
});

describe('a reversal that could not be booked', () => {
  const withdraw = { type: 'withdraw', from: 'account' } as const;
  test.each([
    ['is taken from the account by a new attempt', contested, withdraw, { status: 'reversing', reversal: { attempt: 2 } }],
    [
      'is borne by suspense',
      contested,
      { ...withdraw, from: 'suspense' },
      { status: 'reversing', reversal: { takenFrom: 'suspense' } },
    ],
    ['is dismissed: a payment that had settled stands so', contested, { type: 'dismiss' }, settled],
    ['is dismissed: one that had not settles', next(paid, reverse({ isWhole: false })), { type: 'dismiss' }, paid],
    [
      'fails again',
      next(next(contested, withdraw), { type: 'contest', problem: 'short-balance' }),
      withdraw,
      { reversal: { attempt: 3 } },
    ],
  ] as const)('%s', (_what, state, command, expected) => {
    expect(next(state, command)).toMatchObject(expected);
  });

  test('is decided once', () => {
    const decided = next(contested, withdraw);
    expect(decide(decided, withdraw, NOW)).toEqual([]);
    expect(decide(decided, { ...withdraw, from: 'suspense' }, NOW)).toMatchObject({ refused: 'bad_request' });
    expect(decide(decided, { type: 'dismiss' }, NOW)).toMatchObject({ refused: 'bad_request' });
    expect(decide(paid, withdraw, NOW)).toMatchObject({ refused: 'bad_request' });
  });
});

describe('a payment whose reversal was reported first', () => {
  const receive = (paidAtMs: number) => ({ type: 'receive', paidAtMs }) as const;
  test.each([
    ['refunded: it came and went', refund, NOW + 1, withdrawn(refund)],
    ['failed, and paid after that: another attempt', failure, NOW + 1, received],
    ['failed, and paid before that: a contradiction', failure, NOW, { status: 'suspending', reason: 'withdrawn' }],
  ] as const)('%s', (_what, report, paidAtMs, expected) => {
    expect(next(withdrawn(report), receive(paidAtMs))).toEqual(expected);
  });

  test('is known by the last word of the rail', () => {
    const earlier = reverse({ report: { ...failure, reportedAtMs: NOW - 1 } });
    const later = { ...failure, reportedAtMs: NOW + 1 };
    expect(next(withdrawn(failure), earlier)).toEqual(withdrawn(failure));
    expect(next(withdrawn(failure), reverse({ report: later }))).toEqual(withdrawn(later));
    expect(next(withdrawn(refund), reverse({ report: later }))).toEqual(withdrawn(refund));
  });
});
