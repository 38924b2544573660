import { isRefusal } from '@gerbang/core';
import { expect, test } from 'vitest';
import { decide, evolve, type Held, type PurchaseCommand, type PurchaseState } from './purchase.ts';
import { inquiryDelayMs, nextDue, RESUME_AFTER_MS } from './schedule.ts';

const receipt = { railReference: 'b', serialNumber: 's', sealedToken: 'sealed' };
const failure = { code: 'c', reason: 'r' };
const created: PurchaseState = { status: 'created' };
const held: Held = {
  status: 'held',
  inquiries: 0,
  pendingReason: '',
  unresolvedAtMs: undefined,
  proposal: undefined,
  compensations: 0,
};
const unresolved: Held = { ...held, inquiries: 1, pendingReason: 'w', unresolvedAtMs: 5 };
const succeeded: PurchaseState = { status: 'succeeded', ...receipt, processedAtMs: 9 };
const failed: PurchaseState = { status: 'failed', ...failure, processedAtMs: 9 };

const hold: PurchaseCommand = { type: 'hold' };
const wait: PurchaseCommand = { type: 'wait', reason: 'w', unresolved: false };
const lose: PurchaseCommand = { type: 'wait', reason: 'w', unresolved: true };
const succeed: PurchaseCommand = { type: 'succeed', receipt };
const fail: PurchaseCommand = { type: 'fail', failure };
const proposal = { operator: 'ana', outcome: 'failed', sealedToken: undefined, proposedAtMs: 7 } as const;
const propose: PurchaseCommand = { type: 'propose', proposal };
const refuseCompensation: PurchaseCommand = { type: 'refuse-compensation', reason: 'short' };

const NO = 'refused';

test.each([
  ['created', 'hold', created, hold, held],
  ['created', 'wait', created, wait, NO],
  ['created', 'succeed', created, succeed, NO],
  ['created', 'fail', created, fail, NO],
  ['created', 'propose', created, propose, NO],
  ['held', 'hold', held, hold, held],
  ['held', 'wait', held, wait, { ...held, inquiries: 1, pendingReason: 'w' }],
  ['held', 'lose', held, lose, { ...held, inquiries: 1, pendingReason: 'w', unresolvedAtMs: 9 }],
  ['held', 'succeed', held, succeed, succeeded],
  ['held', 'fail', held, fail, failed],
  ['held', 'propose', held, propose, NO],
  ['unresolved', 'wait', unresolved, wait, { ...unresolved, inquiries: 2 }],
  ['unresolved', 'lose', unresolved, lose, { ...unresolved, inquiries: 2 }],
  ['unresolved', 'propose', unresolved, propose, { ...unresolved, proposal }],
  ['unresolved', 'succeed', unresolved, succeed, succeeded],
  ['unresolved', 'fail', unresolved, fail, failed],
  [
    'proposed',
    'refuse-compensation',
    { ...unresolved, proposal },
    refuseCompensation,
    { ...unresolved, pendingReason: 'short', compensations: 1 },
  ],
  ...[succeeded, failed].flatMap((ended) => [
    ...[hold, wait, lose, succeed, fail, refuseCompensation].map(
      (command) => [ended.status, command.type, ended, command, ended] as const,
    ),
    [ended.status, 'propose', ended, propose, NO] as const,
  ]),
] as const)('%s: %s', (_state, _command, state, command, expected) => {
  const decided = decide(state, command, 9);
  expect(isRefusal(decided) ? NO : decided.reduce<PurchaseState>(evolve, state)).toEqual(expected);
});

test('an event that does not fit is a mistake of the program', () => {
  expect(() => evolve(succeeded, { type: 'failed', failure, processedAtMs: 1 })).toThrow('succeeded');
  expect(() => evolve(held, { type: 'held' })).toThrow('held');
});

test('the biller is asked again soon, then ever more seldom; what has ended is never due', () => {
  expect([0, 1, 2, 10, 11, 500].map(inquiryDelayMs)).toEqual([1_000, 1_000, 2_000, 300_000, 900_000, 900_000]);
  const waited = { type: 'waited', reason: '', unresolvedAtMs: undefined } as const;
  expect(nextDue({ ...held, inquiries: 3 }, waited, 100)).toEqual({ atMs: 2_100 });
  expect(nextDue(held, { type: 'held' }, 100)).toEqual({ atMs: 100 + RESUME_AFTER_MS });
  expect(nextDue(succeeded, { type: 'succeeded', receipt, processedAtMs: 9 }, 100)).toBe('never');
  expect(nextDue(unresolved, { type: 'resolution-proposed', proposal }, 100)).toBe('unchanged');
});
