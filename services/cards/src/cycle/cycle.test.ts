import { describe, expect, test } from 'vitest';
import { beginCycle, type CycleCommand, type CycleState, decide, RETRIES_MAX } from './cycle.ts';

const NOW = 1_000_000;
const RETRY_MS = 2_000;
const failure = { code: '51', reason: 'Insufficient funds' };
const byMerchant = { paymentId: 'p-1', initiatedBy: 'merchant', startedAtMs: NOW } as const;
const byCustomer = { ...byMerchant, initiatedBy: 'customer' } as const;
const declined = { type: 'declined', paymentId: 'p-1', failure, retryMs: RETRY_MS, isLast: false } as const;

const STATES = {
  'charged by the merchant': { status: 'processing', attempts: 1, attempt: byMerchant },
  'charged by the merchant for the last time': { status: 'processing', attempts: RETRIES_MAX + 1, attempt: byMerchant },
  'charged by the customer': { status: 'processing', attempts: 1, attempt: byCustomer },
  'to be tried again': { status: 'retrying', attempts: 1, attempt: byMerchant, failure, retryAtMs: NOW },
  failed: { status: 'failed', attempts: 4, attempt: byMerchant, failure, endedAtMs: NOW },
  paid: { status: 'success', attempts: 1, attempt: byMerchant, endedAtMs: NOW },
} satisfies Record<string, CycleState>;

const COMMANDS = {
  paid: { type: 'paid', paymentId: 'p-1' },
  'paid by another payment': { type: 'paid', paymentId: 'p-0' },
  declined,
  'declined by another payment': { ...declined, paymentId: 'p-0' },
  'declined, and its plan has ended': { ...declined, isLast: true },
  retry: { type: 'retry', paymentId: 'p-2' },
  'charge-again': { type: 'charge-again', paymentId: 'p-2' },
  abandon: { type: 'abandon' },
} satisfies Record<string, CycleCommand>;

/** "state", and what is published; everything else changes nothing. */
const MOVES: Record<keyof typeof STATES, Partial<Record<keyof typeof COMMANDS, string>>> = {
  'charged by the merchant': {
    paid: 'success, charge.succeeded',
    declined: 'retrying, charge.failed',
    'declined, and its plan has ended': 'failed, charge.failed',
  },
  'charged by the merchant for the last time': {
    paid: 'success, charge.succeeded',
    declined: 'failed, charge.failed',
    'declined, and its plan has ended': 'failed, charge.failed',
  },
  'charged by the customer': {
    paid: 'success, charge.succeeded',
    declined: 'failed, charge.failed',
    'declined, and its plan has ended': 'failed, charge.failed',
  },
  'to be tried again': { retry: 'processing', abandon: 'failed' },
  failed: { 'charge-again': 'processing' },
  paid: {},
};

function outcomeOf(state: CycleState, command: CycleCommand, nowMs = NOW): string {
  return decide(state, command, nowMs)
    .map(({ state: { status }, published }) =>
      [status, ...(published ? [published.replace('subscription.', '')] : [])].join(', '),
    )
    .join(' and ');
}

describe.each(Object.entries(STATES))('given a cycle that is %s', (name, state) => {
  const moves = new Map(Object.entries(new Map(Object.entries(MOVES)).get(name) ?? {}));
  test.each(Object.entries(COMMANDS))('when %s', (command, value) => {
    expect(outcomeOf(state, value)).toBe(moves.get(command) ?? '');
  });
});

test('is tried again when its time has come, by a payment of its own, and counted', () => {
  const [event] = decide(STATES['charged by the merchant'], COMMANDS.declined, NOW);
  const retrying = event?.state ?? expect.fail('no event');
  expect(retrying).toMatchObject({ failure, retryAtMs: NOW + RETRY_MS });
  expect(outcomeOf(retrying, COMMANDS.retry, NOW + RETRY_MS - 1)).toBe('');
  const [again] = decide(retrying, COMMANDS.retry, NOW + RETRY_MS);
  expect(again?.state).toEqual({
    status: 'processing',
    attempts: 2,
    attempt: { paymentId: 'p-2', initiatedBy: 'merchant', startedAtMs: NOW + RETRY_MS },
  });
});

test('three retries, and no more', () => {
  let state: CycleState = beginCycle(byMerchant);
  const published: unknown[] = [];
  for (let round = 0; round < 10; round++) {
    const { paymentId } = state.attempt;
    const atMs = NOW + round * RETRY_MS;
    for (const command of [
      { ...declined, paymentId },
      { type: 'retry', paymentId: `r-${round}` },
    ] as const) {
      const [event] = decide(state, command, command.type === 'retry' ? atMs + RETRY_MS : atMs);
      state = event?.state ?? state;
      if (event?.published) published.push(event.published);
    }
  }
  expect(state).toMatchObject({ status: 'failed', attempts: 4 });
  expect(published).toEqual(Array.from({ length: 4 }, () => 'subscription.charge.failed'));
});

test('another card is the customer’s charge, and is not tried again by itself', () => {
  const [event] = decide(STATES.failed, COMMANDS['charge-again'], NOW);
  const state = event?.state ?? expect.fail('no event');
  expect(state.attempt).toEqual({ paymentId: 'p-2', initiatedBy: 'customer', startedAtMs: NOW });
  expect(outcomeOf(state, { ...declined, paymentId: 'p-2' })).toBe('failed, charge.failed');
});
