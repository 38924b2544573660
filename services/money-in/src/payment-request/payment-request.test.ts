import { isRefusal } from '@gerbang/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decide,
  effectivePaidAtMs,
  evolve,
  IN_FLIGHT_MAX,
  mismatchOf,
  newPaymentRequest,
  type PaymentRequestCommand,
  type PaymentRequestState,
} from './payment-request.ts';

const NOW = 1_000_000;
const once = newPaymentRequest({ minSen: 500n, maxSen: 500n, maxUses: 1, expiresAtMs: NOW + 10 });
const take = (by: string, over: Partial<Extract<PaymentRequestCommand, { type: 'take' }>> = {}) =>
  ({ type: 'take', by, amountSen: 500n, paidAtMs: NOW, ...over }) as const;

/** Given commands that have been carried out, the state after them. */
function given(state: PaymentRequestState, ...commands: PaymentRequestCommand[]): PaymentRequestState {
  return commands.reduce((before, command) => {
    const events = decide(before, command, NOW);
    if (isRefusal(events)) throw new Error(`${command.type} was refused: ${events.message}`);
    return events.reduce(evolve, before);
  }, state);
}

describe('what does not fit', () => {
  const used = given(once, take('a'), { type: 'finish', by: 'a' });
  const late = decide({ ...once, expiresAtMs: NOW }, { type: 'expire' }, NOW);
  const expired = isRefusal(late) ? once : late.reduce(evolve, { ...once, expiresAtMs: NOW });
  test.each([
    ['too little', once, take('b', { amountSen: 499n }), 'wrong-amount'],
    ['too much', once, take('b', { amountSen: 501n }), 'wrong-amount'],
    ['after the expiry, by the rail’s time', once, take('b', { paidAtMs: NOW + 10 }), 'expired'],
    ['in time, reported after the expiry', expired, take('b', { paidAtMs: NOW - 1 }), undefined],
    ['a second payment', used, take('b'), 'used-up'],
    ['while another is under way', given(once, take('a')), take('b'), 'used-up'],
    ['the same one again while under way', given(once, take('a')), take('a'), undefined],
    ['after the deletion', given(once, { type: 'delete' }), take('b'), 'inactive'],
    ['before the deletion, reported after it', given(once, { type: 'delete' }), take('b', { paidAtMs: NOW - 1 }), undefined],
    ['after it has failed', given(once, { type: 'fail' }), take('b'), 'inactive'],
    ['what was issued before', given(once, { type: 'delete' }), take('b', { issued: true }), undefined],
  ] as const)('%s', (_what, state, command, mismatch) => {
    expect(mismatchOf(state, command)).toBe(mismatch);
  });
});

describe('a payment request', () => {
  test('is completed by its last use, also after its expiry', () => {
    const paid = given({ ...once, status: 'expired' }, take('a'), { type: 'finish', by: 'a' });
    expect(paid).toMatchObject({ status: 'completed', used: 1, inFlight: [], endedAtMs: NOW });
  });

  test('counts a use once, however often it is finished', () => {
    const many = { ...once, maxUses: undefined };
    const state = given(many, take('a'), take('b'), { type: 'finish', by: 'a' }, { type: 'finish', by: 'a' });
    expect(state).toMatchObject({ used: 1, inFlight: ['b'], status: 'active' });
  });

  test('gives a use back', () => {
    expect(given(once, take('a'), { type: 'release', by: 'a' })).toEqual(once);
  });

  test('expires when its time is over, and not before', () => {
    expect(decide(once, { type: 'expire' }, NOW)).toEqual([]);
    expect(decide(once, { type: 'expire' }, NOW + 10)).toEqual([{ type: 'expired', atMs: NOW + 10 }]);
  });

  test('does not fail while it is being paid', () => {
    expect(decide(given(once, take('a')), { type: 'fail' }, NOW)).toEqual([]);
  });

  test('that has ended is not changed, and never below its uses', () => {
    const change = { type: 'change', minSen: 1n, maxSen: 2n, maxUses: 1, expiresAtMs: undefined } as const;
    expect(decide(given(once, { type: 'delete' }), change, NOW)).toMatchObject({ refused: 'bad_request' });
    const twice = given({ ...once, maxUses: 2 }, take('a'), { type: 'finish', by: 'a' });
    expect(decide(twice, change, NOW)).toMatchObject({ refused: 'validation' });
  });

  test('has so many payments under way at most', () => {
    const inFlight = Array.from({ length: IN_FLIGHT_MAX }, (_, i) => `p${i}`);
    expect(decide({ ...once, maxUses: undefined, inFlight }, take('b'), NOW)).toMatchObject({ refused: 'unavailable' });
  });
});

test.each([
  ['told in milliseconds', 1_001, 9_000, 1_001],
  ['told in seconds, received in that second', 1_000, 1_400, 1_400],
  ['told in seconds, received later', 1_000, 9_000, 1_999],
  ['told in seconds, before our clock', 5_000, 4_000, 5_000],
])('the moment of a payment: %s', (_what, paidAtMs, receivedAtMs, expected) => {
  expect(effectivePaidAtMs(paidAtMs, receivedAtMs)).toBe(expected);
});

test('no more uses are taken and finished than there are, and each once, in any order of commands', () => {
  const by = fc.constantFrom('a', 'b', 'c', 'd');
  const command = fc.oneof(
    fc.record({ type: fc.constantFrom('take', 'finish', 'release'), by }),
    fc.record({ type: fc.constantFrom('expire', 'delete', 'fail'), by }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(command, { maxLength: 40 }), (maxUses, commands) => {
      let state = newPaymentRequest({ minSen: 500n, maxSen: 500n, maxUses, expiresAtMs: NOW + 5 });
      let finished = 0;
      for (const [i, { type, by }] of commands.entries()) {
        const wanted = (type === 'take' ? take(by, { paidAtMs: NOW + i }) : { type, by }) as PaymentRequestCommand;
        if (wanted.type === 'take' && mismatchOf(state, wanted) !== undefined) continue;
        const before = state;
        const events = decide(state, wanted, NOW + i);
        if (isRefusal(events)) continue;
        state = events.reduce(evolve, state);
        finished += events.filter((event) => event.type === 'finished').length;
        expect(state.used + state.inFlight.length).toBeLessThanOrEqual(maxUses);
        expect(new Set(state.inFlight).size).toBe(state.inFlight.length);
        if (before.status === 'completed') expect(state.status).toBe('completed');
      }
      expect(state.used).toBe(finished);
    }),
  );
});

test('what was paid is reversed once, in its product’s word, and takes no other payment', () => {
  const paid = given(once, take('a'), { type: 'finish', by: 'a' });
  for (const as of ['reversed', 'failed'] as const) {
    const reversed = given(paid, { type: 'reverse', as });
    expect(reversed).toMatchObject({ status: as, used: 1 });
    expect(decide(reversed, { type: 'reverse', as }, NOW)).toEqual([]);
    expect(mismatchOf(reversed, take('b'))).toBe('used-up');
  }
  expect(decide(once, { type: 'reverse', as: 'reversed' }, NOW)).toEqual([]);
});
