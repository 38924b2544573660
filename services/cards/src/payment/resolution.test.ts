import { isRefusal } from '@gerbang/core';
import { expect, test } from 'vitest';
import { decide } from './payment.ts';
import { outcomesOf } from './resolution.ts';
import { UNRESOLVED_AFTER_MS } from './schedule.ts';
import type { Authorisation, ContestedChoice, Outcome, PaymentCommand, PaymentState } from './state.ts';

const NOW = 100 * UNRESOLVED_AFTER_MS;
const LONG_AGO = NOW - UNRESOLVED_AFTER_MS;
const asked = { tries: 3, waitingFor: 'no answer' };
const authorisation: Authorisation = {
  acquirerReference: 'a-1',
  approvalCode: '000001',
  authorisedAtMs: 1,
  captureAtMs: 2,
  networkTransactionId: '',
  fees: { feeSen: 4n, netSen: 96n, vendorFeeSen: 2n, basisPoints: 400 },
};
const capture = { capturedAtMs: 3, settleAtMs: 4, settledAtMs: 4, refundAttempts: 1 };
const refund = { attempt: 1, fromPendingSen: 0n, fromAvailableSen: 100n };

const authorising: PaymentState = { status: 'authorising', sentAtMs: 1, asked };
const capturing: PaymentState = { status: 'capturing', authorisation, asked };
const voiding: PaymentState = { status: 'voiding', authorisation, asked };
const refunding: PaymentState = { status: 'refunding', authorisation, capture, refund, asked };
const releasing: PaymentState = { status: 'releasing', code: 'x', reason: '', endedAtMs: 1, asked };
const contested: PaymentState = {
  status: 'contested',
  authorisation,
  capture,
  reason: 'refunded',
  endedAtMs: 5,
  withdrawal: { attempt: 1, takenFrom: 'account', said: 'refunded' },
};

const failure = { code: 'OPERATOR', reason: '' };
const by = { evidence: 'mail of the acquirer', proposer: 'ana', approver: 'ben' };

function resolve(state: PaymentState, outcome: Outcome, then: PaymentCommand, sinceMs = LONG_AGO) {
  return decide(state, { type: 'resolve', outcome, sinceMs, then, decision: { outcome, ...by } }, NOW);
}

function decideContested(state: PaymentState, choice: ContestedChoice) {
  return decide(state, { type: 'decide-contested', choice, decision: { outcome: choice, ...by } }, NOW);
}

function next(decided: ReturnType<typeof decide>): PaymentState {
  if (isRefusal(decided)) return expect.fail(decided.message);
  return decided[0]?.state ?? expect.fail('nothing has changed');
}

test.each<[PaymentState, Outcome, PaymentCommand, PaymentState['status'], string | undefined]>([
  [authorising, 'authorised', { type: 'authorise', authorisation }, 'authorised', 'card-transaction.succeeded'],
  [authorising, 'failed', { type: 'fail', ...failure }, 'failed', 'card-transaction.failed'],
  [capturing, 'captured', { type: 'captured', settleAtMs: 9 }, 'crediting', undefined],
  [capturing, 'failed', { type: 'lose', ...failure }, 'failed', 'card-transaction.failed'],
  [voiding, 'voided', { type: 'voided' }, 'cancelled', 'card-transaction.cancelled'],
  [voiding, 'authorised', { type: 'void-refused', reason: '' }, 'authorised', undefined],
  [voiding, 'captured', { type: 'captured', settleAtMs: 9 }, 'crediting', undefined],
  [refunding, 'refunded', { type: 'refund-done' }, 'refunded', 'card-transaction.refunded'],
  [refunding, 'captured', { type: 'refund-refused', reason: '' }, 'returning', undefined],
  [releasing, 'voided', { type: 'released' }, 'failed', undefined],
])('$0.status, resolved as %2$s, goes on as if the acquirer had said so', (state, outcome, then, status, published) => {
  const decided = resolve(state, outcome, then);
  expect(decided).toEqual([
    { type: 'changed', state: expect.objectContaining({ status }), published, decision: { outcome, ...by } },
  ]);
  expect(resolve(state, outcome, then, LONG_AGO + 1)).toMatchObject({ refused: 'bad_request' });
  // A second decision finds nothing to decide, whatever it says.
  expect(resolve(next(decided), outcome, then)).toMatchObject({ refused: 'bad_request' });
});

test('an outcome that the acquirer can not have is refused, and so is one that it does not owe', () => {
  const all: Outcome[] = ['failed', 'authorised', 'captured', 'voided', 'refunded'];
  for (const state of [authorising, capturing, voiding, refunding, releasing, contested]) {
    for (const outcome of all.filter((one) => !outcomesOf(state).includes(one)))
      expect(resolve(state, outcome, { type: 'fail', ...failure })).toMatchObject({ refused: 'bad_request' });
  }
});

test('a contested payment is taken by a new attempt, and stays contested while the balance is short', () => {
  const again = next(decideContested(contested, 'withdraw'));
  expect(again).toMatchObject({ status: 'withdrawing', withdrawal: { attempt: 2, takenFrom: 'account' } });
  expect(decideContested(again, 'withdraw')).toEqual([]);
  expect(decideContested(again, 'write-off')).toMatchObject({ refused: 'bad_request' });
  const still = next(decide(again, { type: 'contest' }, NOW));
  expect(next(decideContested(still, 'withdraw'))).toMatchObject({ withdrawal: { attempt: 3 } });
  expect(decide(again, { type: 'withdrawn' }, NOW)).toMatchObject([{ published: 'card-transaction.refunded' }]);
});

test('one that is written off is kept by the merchant, who hears nothing', () => {
  const taking = next(decideContested(contested, 'write-off'));
  expect(taking).toMatchObject({ status: 'withdrawing', withdrawal: { attempt: 2, takenFrom: 'suspense' } });
  const decided = decide(taking, { type: 'withdrawn' }, NOW);
  expect(decided).toMatchObject([{ state: { status: 'written-off' }, published: undefined }]);
  expect(decideContested(next(decided), 'write-off')).toEqual([]);
  expect(decideContested(next(decided), 'withdraw')).toMatchObject({ refused: 'bad_request' });
});

test('one that is dismissed stands as before; when it is taken back again the attempts go on', () => {
  const dismissed = next(decideContested(contested, 'dismiss'));
  expect(dismissed).toMatchObject({ status: 'settled', capture: { withdrawalAttempts: 1 } });
  const again = next(decide(dismissed, { type: 'withdraw', said: 'voided', reason: '' }, NOW));
  expect(again).toMatchObject({ status: 'withdrawing', withdrawal: { attempt: 2, takenFrom: 'account', said: 'voided' } });
  for (const choice of ['withdraw', 'write-off', 'dismiss'] as const)
    expect(decideContested(dismissed, choice)).toMatchObject({ refused: 'bad_request' });
});
