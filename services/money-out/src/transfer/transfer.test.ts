import { isRefusal } from '@gerbang/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evolve, type TransferEvent } from './event.ts';
import { nextDue } from './schedule.ts';
import { dueCompensation, isEnded, type Resolution, type TransferState } from './state.ts';
import { decide, decideAll, type TransferCommand } from './transfer.ts';

const NOW = 1_000_000;
const created: TransferState = { status: 'created', request: '{}' };
const failure = { code: '4031814', reason: 'no', cause: 'other' } as const;
const send = { type: 'send', balanceAfterSen: 5n, possibleDuplicateOf: undefined } as const;
const wait: TransferCommand = { type: 'wait', reason: 'timeout', unresolved: false, receipt: {} };
const giveUp: TransferCommand = { ...wait, unresolved: true };
const cancel: TransferCommand = { type: 'cancel', reason: 'canceled' };
const expire: TransferCommand = { type: 'cancel', reason: 'expired' };
const succeed: TransferCommand = { type: 'succeed', railReference: 'r1', receipt: {} };
const fail: TransferCommand = { type: 'fail', failure };
const confirmCancel: TransferCommand = { type: 'confirm-cancel' };
const confirmReturn: TransferCommand = { type: 'confirm-return', railReference: 'r1', reason: 'closed account' };
const reportReturned: TransferCommand = { type: 'report', isPaid: false, railReference: '', reason: 'closed account' };
const reportPaid: TransferCommand = { type: 'report', isPaid: true, railReference: 'r2', reason: 'paid' };
const compensate: TransferCommand = { type: 'compensate', number: 1, balanceAfterSen: 9n };
const refuseCompensation: TransferCommand = { type: 'refuse-compensation', number: 1, reason: 'poor' };
const waitForRefund: TransferCommand = { type: 'wait-for-refund', reason: 'silence' };
const refuseRefund: TransferCommand = { type: 'refuse-refund', reason: '4037815 settled' };
const propose = (outcome: Resolution): TransferCommand => ({ type: 'propose', operator: 'ana', outcome });
const approve = (outcome: Resolution, operator = 'budi'): TransferCommand => ({ type: 'approve', operator, outcome });

/** The state after commands. */
function given(...commands: TransferCommand[]): TransferState {
  return commands.reduce<TransferState>(next, created);
}

/** The state after one more command. */
function next(state: TransferState, command: TransferCommand): TransferState {
  const events = decide(state, command, NOW);
  if (isRefusal(events)) throw new Error(`${command.type} was refused: ${events.message}`);
  return events.reduce(evolve, state);
}

/** What a command does: the events' types, or the refusal. */
function when(state: TransferState, command: TransferCommand): string[] | string {
  const decided = decide(state, command, NOW);
  return isRefusal(decided) ? decided.refused : decided.map(({ type }) => type);
}

const STATES = {
  created,
  sent: given(send),
  unresolved: given(send, giveUp),
  canceling: given(send, cancel),
  'unresolved, and canceling': given(send, giveUp, propose('cancel'), cancel),
  succeeded: given(send, succeed),
  refunding: given(send, succeed, propose('refund'), approve('refund')),
  returning: given(send, succeed, reportReturned),
  failed: given(send, fail),
  canceled: given(send, cancel, confirmCancel),
  refunded: given(send, succeed, reportReturned, compensate),
  disputed: given(send, fail, reportPaid),
  approved: given(send, fail, reportPaid, propose('succeeded'), approve('succeeded')),
} satisfies Record<string, TransferState>;

const COMMANDS = {
  send,
  wait,
  cancel,
  succeed,
  fail,
  confirmCancel,
  confirmReturn,
  reportReturned,
  reportPaid,
  compensate,
  refuseCompensation,
  waitForRefund,
  refuseRefund,
  proposeSucceeded: propose('succeeded'),
  proposeFailed: propose('failed'),
  proposeCancel: propose('cancel'),
  proposeRefund: propose('refund'),
} satisfies Record<string, TransferCommand>;

type Command = keyof typeof COMMANDS;

const ENDINGS: Command[] = ['fail', 'confirmCancel', 'confirmReturn'];
const REFUNDS: Command[] = ['waitForRefund', 'refuseRefund'];
const CORRECTIONS: Command[] = ['reportReturned', 'reportPaid', 'compensate', 'refuseCompensation', ...REFUNDS];
/** What the rail can be asked to do, unless it was done or asked already. */
const REQUESTS: Command[] = ['proposeCancel', 'proposeRefund'];
const PROPOSALS: Command[] = ['proposeSucceeded', 'proposeFailed', ...REQUESTS];

/** Every move: what happens, what is refused; everything else changes nothing. */
const MOVES: Record<keyof typeof STATES, { happens: Partial<Record<Command, string>>; refused: Command[] }> = {
  created: {
    happens: { send: 'sent' },
    refused: ['wait', 'cancel', 'succeed', ...ENDINGS, ...CORRECTIONS, ...PROPOSALS],
  },
  sent: {
    happens: {
      wait: 'waited',
      cancel: 'cancel-requested',
      succeed: 'succeeded',
      fail: 'failed',
      confirmCancel: 'canceled',
      confirmReturn: 'refunded',
    },
    refused: [...CORRECTIONS, ...PROPOSALS],
  },
  unresolved: {
    happens: {
      wait: 'waited',
      cancel: 'cancel-requested',
      succeed: 'succeeded',
      fail: 'failed',
      confirmCancel: 'canceled',
      confirmReturn: 'refunded',
      proposeSucceeded: 'resolution-proposed',
      proposeFailed: 'resolution-proposed',
      proposeCancel: 'resolution-proposed',
    },
    refused: [...CORRECTIONS, 'proposeRefund'],
  },
  canceling: {
    happens: { wait: 'waited', succeed: 'succeeded', fail: 'failed', confirmCancel: 'canceled', confirmReturn: 'refunded' },
    refused: [...CORRECTIONS, ...PROPOSALS],
  },
  'unresolved, and canceling': {
    happens: {
      wait: 'waited',
      succeed: 'succeeded',
      fail: 'failed',
      confirmCancel: 'canceled',
      confirmReturn: 'refunded',
      proposeSucceeded: 'resolution-proposed',
      proposeFailed: 'resolution-proposed',
    },
    refused: [...CORRECTIONS, ...REQUESTS],
  },
  succeeded: {
    happens: {
      reportReturned: 'return-reported',
      proposeFailed: 'resolution-proposed',
      proposeRefund: 'resolution-proposed',
    },
    refused: ['proposeSucceeded', 'proposeCancel', ...ENDINGS],
  },
  refunding: {
    happens: {
      waitForRefund: 'refund-awaited',
      refuseRefund: 'refund-refused',
      reportReturned: 'return-reported',
      proposeSucceeded: 'resolution-proposed',
      proposeFailed: 'resolution-proposed',
    },
    refused: [...REQUESTS, ...ENDINGS],
  },
  returning: {
    happens: { compensate: 'return-booked' },
    refused: ['refuseCompensation', ...ENDINGS, ...PROPOSALS],
  },
  failed: {
    happens: { reportPaid: 'payment-reported', proposeSucceeded: 'resolution-proposed' },
    refused: ['succeed', 'proposeFailed', ...REQUESTS],
  },
  canceled: {
    happens: { reportPaid: 'payment-reported', proposeSucceeded: 'resolution-proposed' },
    refused: ['succeed', 'proposeFailed', ...REQUESTS],
  },
  refunded: {
    happens: { reportPaid: 'payment-reported', proposeSucceeded: 'resolution-proposed' },
    refused: ['proposeFailed', ...REQUESTS],
  },
  disputed: {
    happens: { proposeSucceeded: 'resolution-proposed', proposeFailed: 'resolution-proposed' },
    refused: ['succeed', ...REQUESTS],
  },
  approved: {
    happens: { compensate: 'payment-booked', refuseCompensation: 'payment-refused' },
    refused: ['succeed', ...PROPOSALS],
  },
};

describe.each(Object.entries(MOVES))('given a transfer that is %s', (name, { happens, refused }) => {
  const state = new Map<string, TransferState>(Object.entries(STATES)).get(name) ?? created;
  const happening = new Map(Object.entries(happens));

  test.each(Object.entries(COMMANDS))('when %s', (command, value) => {
    const event = happening.get(command);
    const isRefused = refused.some((one) => one === command);
    expect(when(state, value)).toEqual(isRefused ? 'bad_request' : event === undefined ? [] : [event]);
  });
});

describe('a transfer', () => {
  test('succeeds with the balance after its hold, and fails with the rail’s reason', () => {
    expect(given(send, succeed)).toMatchObject({
      status: 'succeeded',
      balanceAfterSen: 5n,
      railReference: 'r1',
      processedAtMs: NOW,
    });
    expect(given(send, fail)).toMatchObject({ status: 'failed', failure });
  });

  test('is sent and ends in one write where the rail answers soon', () => {
    expect(decideAll(created, [send, succeed], NOW)).toEqual([
      { type: 'sent', balanceAfterSen: 5n },
      { type: 'succeeded', railReference: 'r1', receipt: {}, processedAtMs: NOW },
    ]);
    expect(decideAll(given(send), [send, fail], NOW)).toMatchObject([{ type: 'failed' }]);
    expect(decideAll(given(send, fail), [send, wait], NOW)).toEqual([]);
    expect(decideAll(created, [succeed, send], NOW)).toMatchObject({ refused: 'bad_request' });
  });

  test('that the rail will not pay any more is canceled or expired, as the rail says, else as Gerbang wanted it', () => {
    const reasons = (reason: 'canceled' | 'expired' | undefined) =>
      [given(send), given(send, cancel), given(send, expire)].map((state) => {
        const decided = decide(state, { type: 'confirm-cancel', reason }, NOW);
        return isRefusal(decided) ? decided.refused : decided.map((event) => 'reason' in event && event.reason).join();
      });
    expect(reasons(undefined)).toEqual(['canceled', 'canceled', 'expired']);
    expect(reasons('expired')).toEqual(['expired', 'expired', 'expired']);
    expect(reasons('canceled')).toEqual(['canceled', 'canceled', 'canceled']);
  });

  test('waits, counting inquiries and keeping receipts, until it is known', () => {
    const code = (text: string): TransferCommand => ({ ...wait, receipt: { code: text } });
    const waiting = given(send, code('1'), wait, code('2'));
    expect(waiting).toMatchObject({ status: 'sent', inquiries: 3, pendingReason: 'timeout', unresolvedAtMs: undefined });
    expect(waiting).toMatchObject({ receipt: { code: '2' } });
    expect(given(send, code('1'), succeed)).toMatchObject({ receipt: { code: '1' } });
  });

  test('goes to the operators once, and stays with them while inquiries go on', () => {
    const unresolved = given(send, giveUp);
    expect(unresolved).toMatchObject({ unresolvedAtMs: NOW });
    expect(decide(unresolved, wait, NOW + 5)).toMatchObject([{ type: 'waited', unresolvedAtMs: NOW }]);
    expect(given(send, giveUp, propose('failed'))).toMatchObject({ proposal: { operator: 'ana', outcome: 'failed' } });
  });

  test('that is being canceled keeps what it holds, and says why when the rail has agreed', () => {
    expect(given(send, wait, expire)).toMatchObject({ status: 'canceling', balanceAfterSen: 5n, request: '{}', inquiries: 0 });
    expect(given(send, expire, confirmCancel)).toMatchObject({ status: 'canceled', cancelReason: 'expired' });
    expect(given(send, confirmCancel)).toMatchObject({ status: 'canceled', cancelReason: 'canceled' });
  });
});

test.each<[string, TransferCommand[][]]>([
  ['ends', [[succeed], [fail], [cancel, confirmCancel], [confirmReturn]]],
  [
    'is corrected',
    [
      [succeed, reportReturned, compensate],
      [fail, reportPaid, propose('succeeded'), approve('succeeded'), compensate],
    ],
  ],
])('what a transfer may be a duplicate of is kept when it %s', (_how, ways) => {
  const accepted: TransferCommand = { ...send, possibleDuplicateOf: 'ref-0' };
  for (const way of ways) expect(given(accepted, ...way)).toMatchObject({ possibleDuplicateOf: 'ref-0' });
});

describe('a correction', () => {
  test('of a return is due until the ledger has booked it', () => {
    expect(dueCompensation(STATES.returning)).toEqual({ kind: 'returned', number: 1 });
    expect(STATES.refunded).toMatchObject({
      status: 'refunded',
      railReference: 'r1',
      reason: 'closed account',
      compensations: 1,
    });
    expect(dueCompensation(STATES.refunded)).toBeUndefined();
  });

  test('of a payment is due only when two operators agree', () => {
    expect(dueCompensation(STATES.disputed)).toBeUndefined();
    expect(dueCompensation(STATES.approved)).toEqual({ kind: 'paid', number: 1 });
    expect(given(send, fail, reportPaid, propose('succeeded'), approve('succeeded'), compensate)).toMatchObject({
      status: 'succeeded',
      balanceAfterSen: 9n,
      railReference: 'r2',
      compensations: 1,
    });
  });

  test('that the ledger refuses waits for another approval, and has another number then', () => {
    const refused = given(send, fail, reportPaid, propose('succeeded'), approve('succeeded'), refuseCompensation);
    expect(refused).toMatchObject({ status: 'failed', paid: { reason: 'poor', isApproved: false }, compensations: 1 });
    const approved = decideAll(refused, [approve('succeeded')], NOW);
    if (isRefusal(approved)) throw new Error(approved.message);
    const again = approved.reduce(evolve, refused);
    expect(dueCompensation(again)).toEqual({ kind: 'paid', number: 2 });
    expect(when(again, compensate)).toEqual([]);
  });

  test('can be followed by another', () => {
    const back = given(send, succeed, reportReturned, compensate, reportPaid, propose('succeeded'), approve('succeeded'), {
      ...compensate,
      number: 2,
    });
    expect(back).toMatchObject({ status: 'succeeded', compensations: 2 });
    expect(when(back, reportReturned)).toEqual(['return-reported']);
  });

  test.each([
    ['by no operator', STATES.disputed, approve('succeeded')],
    ['by the same operator', given(send, fail, reportPaid, propose('succeeded')), approve('succeeded', 'ana')],
    ['with the other outcome', given(send, fail, reportPaid, propose('succeeded')), approve('failed')],
  ])('proposed %s is not approved', (_who, state, command) => {
    expect(when(state, command)).toBe('bad_request');
  });

  test('is dismissed by two operators, or begun by them without a report', () => {
    expect(given(send, fail, reportPaid, propose('failed'), approve('failed'))).toEqual(STATES.failed);
    expect(when(given(send, succeed, propose('failed')), approve('failed'))).toEqual(['return-reported']);
    expect(when(given(send, fail, propose('succeeded')), approve('succeeded'))).toEqual(['payment-reported', 'payment-approved']);
  });

  test('is not asked for by the report of a payment that came back since', () => {
    expect(when(STATES.refunded, { ...reportPaid, railReference: 'r1' })).toEqual([]);
  });
});

describe('a refund', () => {
  const asked = STATES.refunding;

  test('that two operators want is open until the rail has answered, and asks less and less often', () => {
    expect(asked).toMatchObject({
      status: 'succeeded',
      refund: { askedAtMs: NOW, attempts: 0, reason: '' },
      proposal: undefined,
    });
    expect(nextDue(asked, { type: 'refund-requested', askedAtMs: NOW }, NOW, undefined)).toEqual({ atMs: NOW + 8_000 });
    const waiting = [waitForRefund, waitForRefund].reduce((state, command) => next(state, command), asked);
    expect(waiting).toMatchObject({ refund: { attempts: 2, reason: 'silence' } });
    expect(nextDue(waiting, { type: 'refund-awaited', reason: '' }, NOW, undefined)).toEqual({ atMs: NOW + 2_000 });
  });

  test('that the rail gives is no contradiction; a failure that it reports meanwhile is one', () => {
    const returned: TransferCommand = { ...reportReturned, isReturn: true };
    expect(decide(asked, returned, NOW)).toMatchObject([{ type: 'return-reported', isAsked: true }]);
    expect(decide(asked, reportReturned, NOW)).toMatchObject([{ isAsked: false }]);
    expect(decide(STATES.succeeded, returned, NOW)).toMatchObject([{ isAsked: false }]);
    expect(next(asked, returned)).toMatchObject({ refund: undefined, returned: { reason: 'closed account' } });
    expect(next(next(asked, returned), compensate)).toMatchObject({ status: 'refunded' });
  });

  test('that the rail refuses, or that operators want no more, leaves the payment as it was', () => {
    expect(next(asked, refuseRefund)).toEqual(STATES.succeeded);
    expect(next(next(asked, propose('succeeded')), approve('succeeded'))).toEqual(STATES.succeeded);
    expect(nextDue(STATES.succeeded, { type: 'refund-refused', reason: '' }, NOW, undefined)).toBe('never');
  });

  test('or a cancellation takes two operators', () => {
    expect(when(STATES.succeeded, approve('refund'))).toBe('bad_request');
    expect(when(given(send, succeed, propose('refund')), approve('refund', 'ana'))).toBe('bad_request');
    expect(given(send, giveUp, propose('cancel'), cancel)).toMatchObject({ status: 'canceling', proposal: undefined });
  });
});

describe('a timer', () => {
  const waited: TransferEvent = { type: 'waited', reason: '', unresolvedAtMs: undefined, receipt: {} };

  test('asks less and less often, but not later than the expiry', () => {
    expect(nextDue(given(send, wait), waited, NOW, undefined)).toEqual({ atMs: NOW + 1_000 });
    expect(nextDue(given(send, wait, wait), waited, NOW, undefined)).toEqual({ atMs: NOW + 2_000 });
    expect(nextDue(given(send, wait, wait), waited, NOW, NOW + 1_500)).toEqual({ atMs: NOW + 1_500 });
    expect(nextDue(given(send, expire, wait, wait), waited, NOW, NOW)).toEqual({ atMs: NOW + 2_000 });
  });

  test('fires for a compensation that is due, and never for what is over', () => {
    expect(nextDue(STATES.returning, { type: 'return-reported', reason: '', isAsked: false }, NOW, undefined)).toEqual({
      atMs: NOW + 8_000,
    });
    expect(nextDue(STATES.refunded, { type: 'return-booked', processedAtMs: NOW }, NOW, undefined)).toBe('never');
  });
});

test('a transfer leaves an end only by a booked compensation', () => {
  const command = fc.constantFrom(
    ...Object.values(COMMANDS),
    giveUp,
    approve('succeeded'),
    approve('failed'),
    approve('refund'),
    {
      ...compensate,
      number: 2,
    },
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      let state: TransferState = created;
      const events: TransferEvent[] = [];
      for (const next of commands) {
        const before = state;
        const decided = decide(state, next, NOW);
        if (isRefusal(decided)) continue;
        state = decided.reduce(evolve, state);
        events.push(...decided);
        const isBooked = decided.some(({ type }) => type === 'return-booked' || type === 'payment-booked');
        if (isEnded(before)) expect(state.status === before.status).toBe(!isBooked);
        if (isBooked) expect(dueCompensation(before)).toMatchObject({ number: Object(next).number });
      }
      const ends = ['succeeded', 'failed', 'canceled', 'refunded'];
      expect(events.filter(({ type }) => type === 'sent').length).toBeLessThanOrEqual(1);
      expect(events.filter(({ type }) => ends.includes(type)).length).toBeLessThanOrEqual(1);
    }),
  );
});
