import { expect, test } from 'vitest';
import { authenticationOutcome, authorisationOutcome, isCountedDecline } from './outcome.ts';
import type { PaymentCommand, PaymentState } from './state.ts';

const asked = (tries: number) => ({ tries, waitingFor: '' });
const SENT: PaymentState = { status: 'authorising', sentAtMs: 1, asked: asked(0) };
const WAITING: PaymentState = { ...SENT, asked: asked(1) };
const CHALLENGING: PaymentState = { status: 'challenging', sentAtMs: 1, url: '', expiresAtMs: 2, asked: asked(1) };
const CREATED: PaymentState = { status: 'created' };
const AUTHORISED: PaymentCommand = {
  type: 'authorise',
  authorisation: {
    acquirerReference: 'a',
    approvalCode: '1',
    authorisedAtMs: 1,
    captureAtMs: 2,
    networkTransactionId: '',
    fees: { feeSen: 0n, netSen: 1n, vendorFeeSen: 0n, basisPoints: 0 },
  },
};
const failed = (code: string): PaymentCommand => ({ type: 'fail', code, reason: '' });
const WAIT: PaymentCommand = { type: 'wait', waitingFor: '' };

test.each([
  ['approved', SENT, AUTHORISED, 'approved', undefined],
  ['approved after a challenge', CHALLENGING, AUTHORISED, 'approved', 'authenticated'],
  ['declined', SENT, failed('51'), 'declined', undefined],
  ['declined after a challenge', CHALLENGING, failed('05'), 'declined', 'authenticated'],
  ['not authenticated', CHALLENGING, failed('3DS'), 'declined', 'refused'],
  ['refused by the issuer without a challenge', SENT, failed('3DS'), 'declined', 'refused'],
  ['a customer who has gone away', CHALLENGING, failed('AUTHENTICATION_EXPIRED'), undefined, 'expired'],
  ['never received', WAITING, failed('NOT_RECEIVED'), undefined, undefined],
  ['given up by the acquirer', WAITING, failed('VOIDED'), undefined, undefined],
  ['challenged', SENT, { type: 'challenge', url: '', expiresAtMs: 1 }, undefined, 'challenged'],
  ['challenged still', CHALLENGING, { type: 'challenge', url: '', expiresAtMs: 1 }, undefined, undefined],
  ['not answered', SENT, WAIT, 'unknown', undefined],
  ['not answered again', WAITING, WAIT, undefined, undefined],
  ['pending', SENT, { type: 'pending' }, 'unknown', undefined],
  ['authenticated, and pending', CHALLENGING, { type: 'pending' }, undefined, 'authenticated'],
  ['never sent', CREATED, { type: 'refuse' }, undefined, undefined],
] satisfies [string, PaymentState, PaymentCommand, string | undefined, string | undefined][])(
  '%s',
  (_what, before, command, authorisation, authentication) => {
    expect(authorisationOutcome(before, command)?.outcome).toBe(authorisation);
    expect(authenticationOutcome(before, command)).toBe(authentication);
  },
);

test.each([
  ...['05', '14', '51', '54', '57', '62', '82', 'N7', '3DS', 'insufficient_funds', ''].map((code) => [code, true] as const),
  ...['03', '12', '13', '30', '40', '58', 'invalid_request', 'forbidden', 'not_found'].map((code) => [code, false] as const),
])('a refusal with the code "%s" is declined, and counts against card testing: %s', (code, isCounted) => {
  const outcome = authorisationOutcome(SENT, failed(code)) ?? expect.fail('no outcome');
  expect([outcome.outcome, isCountedDecline(outcome)]).toEqual(['declined', isCounted]);
});

test('an approval is no decline', () => {
  expect(isCountedDecline({ outcome: 'approved', code: '' })).toBe(false);
});
