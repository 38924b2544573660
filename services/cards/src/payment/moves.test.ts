import { isRefusal } from '@gerbang/core';
import { describe, expect, test } from 'vitest';
import { decide } from './payment.ts';
import type { Authorisation, PaymentCommand, PaymentState, Withdrawal } from './state.ts';

/** Every state of a payment with every command: what it becomes and publishes, what is refused; everything else changes nothing. */

const NOW = 1_000_000;
const asked = { tries: 2, waitingFor: 'x' };
const authorisation: Authorisation = {
  acquirerReference: 'a-1',
  approvalCode: '000001',
  authorisedAtMs: NOW,
  captureAtMs: NOW,
  networkTransactionId: 'n-1',
  fees: { feeSen: 4_00n, netSen: 96_00n, vendorFeeSen: 2_00n, basisPoints: 200 },
};
const capture = { capturedAtMs: NOW, settleAtMs: NOW, settledAtMs: undefined, refundAttempts: 1 };
const refund = { attempt: 1, fromPendingSen: 96_00n, fromAvailableSen: 4_00n };
const authorised = { authorisation, refused: undefined };
const captured = { authorisation, capture };
const withdrawal: Withdrawal = { attempt: 1, takenFrom: 'account', said: 'refunded' };
const failed = { code: '05', reason: 'no', endedAtMs: NOW };

type Status = PaymentState['status'];
/** Those of operators are in resolution.test.ts. */
type Type = Exclude<PaymentCommand['type'], 'resolve' | 'watch' | 'decide-contested'>;

const STATES: { [S in Status]: PaymentState & { status: S } } = {
  created: { status: 'created' },
  authorising: { status: 'authorising', sentAtMs: NOW, asked },
  challenging: { status: 'challenging', sentAtMs: NOW, url: 'https://acs', expiresAtMs: NOW, asked },
  authorised: { status: 'authorised', ...authorised },
  capturing: { status: 'capturing', authorisation, asked },
  voiding: { status: 'voiding', authorisation, asked },
  cancelled: { status: 'cancelled', authorisation, endedAtMs: NOW },
  crediting: { status: 'crediting', ...captured },
  captured: { status: 'captured', ...captured, refused: undefined },
  settling: { status: 'settling', ...captured },
  settled: { status: 'settled', authorisation, capture: { ...capture, settledAtMs: NOW }, refused: undefined },
  reserving: { status: 'reserving', ...captured, refund },
  refunding: { status: 'refunding', ...captured, refund, asked },
  returning: { status: 'returning', ...captured, refund, reason: 'no' },
  refunded: { status: 'refunded', ...captured, refund, endedAtMs: NOW },
  failed: { status: 'failed', ...failed },
  releasing: { status: 'releasing', ...failed, asked },
  withdrawing: { status: 'withdrawing', ...captured, reason: 'taken back', withdrawal },
  withdrawn: { status: 'withdrawn', ...captured, reason: 'taken back', withdrawal, endedAtMs: NOW },
  'written-off': { status: 'written-off', ...captured, reason: 'taken back', withdrawal, endedAtMs: NOW },
  contested: { status: 'contested', ...captured, reason: 'taken back', withdrawal, endedAtMs: NOW },
};

const COMMANDS: { [T in Type]: PaymentCommand & { type: T } } = {
  send: { type: 'send' },
  'give-up': { type: 'give-up' },
  refuse: { type: 'refuse' },
  wait: { type: 'wait', waitingFor: 'y' },
  hold: { type: 'hold', waitingFor: 'y' },
  pending: { type: 'pending' },
  challenge: { type: 'challenge', url: 'https://other', expiresAtMs: NOW },
  authorise: { type: 'authorise', authorisation },
  fail: { type: 'fail', code: '51', reason: 'no' },
  'begin-capture': { type: 'begin-capture' },
  captured: { type: 'captured', settleAtMs: NOW },
  credited: { type: 'credited' },
  'begin-settling': { type: 'begin-settling' },
  settled: { type: 'settled', atMs: NOW },
  cancel: { type: 'cancel', voidMs: 1_000, refunds: true },
  voided: { type: 'voided' },
  'void-refused': { type: 'void-refused', reason: 'no' },
  reserved: { type: 'reserved' },
  'reserve-refused': { type: 'reserve-refused' },
  'refund-done': { type: 'refund-done' },
  'refund-refused': { type: 'refund-refused', reason: 'no' },
  returned: { type: 'returned' },
  lose: { type: 'lose', code: '05', reason: 'no' },
  'late-authorised': { type: 'late-authorised' },
  released: { type: 'released' },
  withdraw: { type: 'withdraw', said: 'refunded', reason: 'taken back' },
  withdrawn: { type: 'withdrawn' },
  contest: { type: 'contest' },
  dispute: { type: 'dispute', id: 'c1', amountSen: 1_00n },
  'end-dispute': { type: 'end-dispute', id: 'c1' },
};

/** "state" or "state, what is published". A refusal is `SP001` (transaction_failed) or `busy` (unavailable, to be asked again). */
const MOVES: Record<Status, Partial<Record<Type, string>>> = {
  created: { send: 'authorising', 'give-up': 'failed, failed', refuse: 'failed, failed', cancel: 'SP001' },
  authorising: {
    wait: 'authorising',
    hold: 'authorising',
    pending: 'authorising',
    challenge: 'challenging',
    authorise: 'authorised, succeeded',
    fail: 'failed, failed',
    cancel: 'SP001',
  },
  challenging: {
    wait: 'challenging',
    hold: 'challenging',
    pending: 'authorising',
    challenge: 'challenging',
    authorise: 'authorised, succeeded',
    fail: 'failed, failed',
    cancel: 'SP001',
  },
  authorised: { 'begin-capture': 'capturing', cancel: 'voiding', lose: 'failed, failed' },
  capturing: { wait: 'capturing', hold: 'capturing', captured: 'crediting', lose: 'failed, failed', cancel: 'busy' },
  voiding: {
    wait: 'voiding',
    hold: 'voiding',
    voided: 'cancelled, cancelled',
    'void-refused': 'authorised',
    captured: 'crediting',
    lose: 'failed, failed',
  },
  cancelled: {},
  crediting: { credited: 'captured', cancel: 'busy' },
  captured: { 'begin-settling': 'settling', cancel: 'reserving', withdraw: 'withdrawing', dispute: 'captured' },
  settling: { settled: 'settled', cancel: 'busy', dispute: 'settling' },
  settled: { cancel: 'reserving', withdraw: 'withdrawing', dispute: 'settled' },
  reserving: { reserved: 'refunding', 'reserve-refused': 'captured' },
  refunding: { wait: 'refunding', hold: 'refunding', 'refund-done': 'refunded, refunded', 'refund-refused': 'returning' },
  returning: { returned: 'captured', cancel: 'busy' },
  refunded: {},
  failed: { 'late-authorised': 'releasing', cancel: 'SP001' },
  releasing: { wait: 'releasing', hold: 'releasing', released: 'failed', cancel: 'SP001' },
  withdrawing: { withdrawn: 'withdrawn, refunded', contest: 'contested', cancel: 'busy' },
  withdrawn: { cancel: 'SP001' },
  contested: { cancel: 'SP001' },
  'written-off': { cancel: 'SP001', settled: 'written-off' },
};

function outcomeOf(state: PaymentState, command: PaymentCommand, nowMs = NOW): string {
  const decided = decide(state, command, nowMs);
  if (isRefusal(decided))
    return decided.refused === 'transaction_failed' ? 'SP001' : decided.refused === 'unavailable' ? 'busy' : decided.refused;
  return decided
    .map(({ state: after, published }) =>
      [after.status, ...(published ? [published.replace('card-transaction.', '')] : [])].join(', '),
    )
    .join(' and ');
}

describe.each(Object.values(STATES))('given a payment that is $status', (state) => {
  test.each(Object.values(COMMANDS))('when $type', (command) => {
    expect(outcomeOf(state, command)).toBe(MOVES[state.status][command.type] ?? '');
  });
});

test('while a chargeback claims a part, it is neither refunded nor taken back whole', () => {
  const disputed = { ...captured, capture: { ...capture, disputes: [{ id: 'c1', sen: 1_00n }] } };
  const state: PaymentState = { status: 'captured', ...disputed, refused: undefined };
  expect(outcomeOf(state, COMMANDS.cancel)).toBe('SP001');
  expect(outcomeOf(state, COMMANDS.withdraw)).toBe('contested');
  expect(outcomeOf(state, COMMANDS['end-dispute'])).toBe('captured');
  const contested: PaymentState = { ...STATES.contested, ...disputed };
  const decision = { evidence: 'mail', proposer: 'a', approver: 'b' };
  const decideOn = (choice: 'withdraw' | 'write-off') =>
    outcomeOf(contested, { type: 'decide-contested', choice, decision: { ...decision, outcome: choice } });
  expect([decideOn('withdraw'), decideOn('write-off')]).toEqual(['bad_request', 'withdrawing']);
});

test('while it is written off a chargeback keeps its claim, and afterwards too', () => {
  const disputed = { ...capture, disputes: [{ id: 'c1', sen: 1_00n }] };
  const ending = (status: 'withdrawing' | 'written-off') =>
    outcomeOf({ ...STATES[status], capture: disputed }, COMMANDS['end-dispute']);
  expect([ending('withdrawing'), ending('written-off')]).toEqual(['busy', '']);
});

test('what is captured, settled or captured before its time waits', () => {
  expect(outcomeOf(STATES.authorised, COMMANDS['begin-capture'], NOW - 1)).toBe('');
  expect(outcomeOf(STATES.captured, COMMANDS['begin-settling'], NOW - 1)).toBe('');
});

test('what is written off settles once', () => {
  const [event] = decideOrFail(STATES['written-off'], COMMANDS.settled);
  expect(event?.state).toEqual({ ...STATES['written-off'], capture: { ...capture, settledAtMs: NOW } });
  expect(outcomeOf(event?.state ?? STATES['written-off'], COMMANDS.settled)).toBe('');
});

test('the address of a challenge and its end stay as the customer was given them', () => {
  const [event] = decideOrFail(STATES.challenging, COMMANDS.challenge);
  expect(event?.state).toMatchObject({ url: 'https://acs', asked: { tries: 3 } });
});

test.each(['captured', 'settled'] as const)(
  'a refund that comes back leaves a payment that was %s so, with each kind of refusal',
  (status) => {
    const given = STATES[status];
    const [began] = decideOrFail(given, COMMANDS.cancel);
    const [reserved] = decideOrFail(began?.state ?? given, COMMANDS.reserved);
    const [refused] = decideOrFail(reserved?.state ?? given, COMMANDS['refund-refused']);
    expect(outcomeOf(began?.state ?? given, COMMANDS['reserve-refused'])).toBe(status);
    expect(outcomeOf(refused?.state ?? given, COMMANDS.returned)).toBe(status);
  },
);

test('what has ended stays so: no command but the acquirer’s late authorisation changes anything', () => {
  for (const status of ['cancelled', 'refunded', 'withdrawn', 'contested', 'failed'] as const)
    for (const command of Object.values(COMMANDS).filter(({ type }) => type !== 'late-authorised' && type !== 'cancel'))
      expect(decide(STATES[status], command, NOW), `${status} ${command.type}`).toEqual([]);
});

function decideOrFail(state: PaymentState, command: PaymentCommand) {
  const decided = decide(state, command, NOW);
  return isRefusal(decided) ? expect.fail(decided.message) : decided;
}
