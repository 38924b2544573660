import { isRefusal } from '@gerbang/core';
import { describe, expect, test } from 'vitest';
import { dueOf } from './calendar.ts';
import { beginPlan, decide, EXPIRY_NOTICE_MS } from './plan.ts';
import type { PlanCard, PlanCommand, PlanOrder, PlanState } from './state.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2027-01-31T02:00:00Z');
const order: PlanOrder = {
  id: 'plan',
  merchantId: 'm',
  accountId: 'a',
  name: 'Gym',
  amountSen: 99_000_00n,
  calendar: { startAtMs: START, interval: 'month', count: 1 },
  totalCycles: 3,
  customer: { name: 'Budi', email: '', phone: '' },
  redirectUrl: '',
  createdAtMs: START,
};
const card: PlanCard = {
  token: 't-1',
  maskedCard: '424242******5192',
  brand: 'VISA',
  holderName: 'BUDI',
  expiry: '12/39',
  expiresAtMs: START + 400 * DAY_MS,
  networkTransactionId: '',
  isExpiryAnnounced: false,
};
const otherCard: PlanCard = { ...card, token: 't-2', maskedCard: '555555******4444' };

/** When the second cycle is due; the third one is not. */
const NOW = dueOf(order.calendar, 2);
const base: PlanState = { ...beginPlan(order, card), status: 'active', open: undefined, paidCycles: 1 };
const charging = { cycle: 2, hasFailed: false };
const failed = { cycle: 2, hasFailed: true };
const ended = { atMs: NOW, reason: 'merchant' as const };

const STATES = {
  'pending, its customer being authenticated': { ...base, status: 'pending', open: charging, paidCycles: 0 },
  'pending, its customer not authenticated': { ...base, status: 'pending', open: failed, paidCycles: 0 },
  'active, its second cycle due': base,
  'active, being charged': { ...base, open: charging, nextCycle: 3 },
  'active, its last cycle being charged': { ...base, open: charging, nextCycle: 4 },
  'paused after its cycle was due': { ...base, status: 'paused', pausedAtMs: NOW + 1 },
  'paused before its cycle was due': { ...base, status: 'paused', pausedAtMs: NOW - 1 },
  'paused, being charged': { ...base, status: 'paused', pausedAtMs: NOW, open: charging, nextCycle: 3 },
  'paused, with a cycle that has failed': { ...base, status: 'paused', pausedAtMs: NOW, open: failed, nextCycle: 3 },
  'past due': { ...base, status: 'past_due', open: failed, nextCycle: 3 },
  'past due, another card being charged': { ...base, status: 'past_due', open: charging, nextCycle: 3 },
  'cancelled, being charged': { ...base, status: 'cancelled', open: charging, nextCycle: 3, ended },
  cancelled: { ...base, status: 'cancelled', ended },
  completed: { ...base, status: 'completed', nextCycle: 4, ended },
} satisfies Record<string, PlanState>;

const referenceOf = (networkTransactionId: string, { maskedCard }: PlanCard = card) => ({ networkTransactionId, maskedCard });
const paid = { type: 'cycle-paid', cycle: 2, reference: referenceOf('n-1') } as const;
const declined = { type: 'cycle-failed', cycle: 2, isDeclined: true } as const;
const COMMANDS = {
  'begin-cycle': { type: 'begin-cycle' },
  paid,
  'another cycle is paid': { ...paid, cycle: 1 },
  declined,
  'not authenticated': { ...declined, isDeclined: false },
  'another cycle is declined': { ...declined, cycle: 1 },
  pause: { type: 'pause' },
  resume: { type: 'resume' },
  cancel: { type: 'cancel' },
  'replace-card': { type: 'replace-card', card: otherCard },
  'give-up': { type: 'give-up' },
} satisfies Record<string, PlanCommand>;

/** "state open-cycle?, what is published"; `!`: the open cycle has failed. Everything else changes nothing. */
const MOVES: Record<keyof typeof STATES, Partial<Record<keyof typeof COMMANDS, string>>> = {
  'pending, its customer being authenticated': {
    paid: 'active, activated',
    declined: 'cancelled, cancelled',
    'not authenticated': 'pending 2!',
    pause: 'SP001',
    resume: 'SP001',
    cancel: 'cancelled 2, cancelled',
    'replace-card': 'pending 2',
    'give-up': 'cancelled 2, cancelled',
  },
  'pending, its customer not authenticated': {
    paid: 'active, activated',
    pause: 'SP001',
    resume: 'SP001',
    cancel: 'cancelled, cancelled',
    'replace-card': 'pending 2',
    'give-up': 'cancelled, cancelled',
  },
  'active, its second cycle due': {
    'begin-cycle': 'active 2',
    pause: 'paused',
    resume: 'SP001',
    cancel: 'cancelled, cancelled',
    'replace-card': 'active',
  },
  'active, being charged': {
    paid: 'active',
    declined: 'past_due 2!, past_due',
    'not authenticated': 'past_due 2!, past_due',
    pause: 'paused 2',
    resume: 'SP001',
    cancel: 'cancelled 2, cancelled',
    'replace-card': 'active 2',
  },
  'active, its last cycle being charged': {
    paid: 'completed, completed',
    declined: 'past_due 2!, past_due',
    'not authenticated': 'past_due 2!, past_due',
    pause: 'paused 2',
    resume: 'SP001',
    cancel: 'cancelled 2, cancelled',
    'replace-card': 'active 2',
  },
  'paused after its cycle was due': {
    'begin-cycle': 'paused 2',
    pause: 'SP001',
    resume: 'active',
    cancel: 'cancelled, cancelled',
    'replace-card': 'paused',
  },
  'paused before its cycle was due': {
    pause: 'SP001',
    resume: 'active',
    cancel: 'cancelled, cancelled',
    'replace-card': 'paused',
  },
  'paused, being charged': {
    paid: 'paused',
    declined: 'paused 2!',
    'not authenticated': 'paused 2!',
    pause: 'SP001',
    resume: 'active 2',
    cancel: 'cancelled 2, cancelled',
    'replace-card': 'paused 2',
  },
  'paused, with a cycle that has failed': {
    paid: 'paused',
    pause: 'SP001',
    resume: 'past_due 2!, past_due',
    cancel: 'cancelled, cancelled',
    'replace-card': 'paused 2',
  },
  'past due': {
    paid: 'active',
    pause: 'SP001',
    resume: 'SP001',
    cancel: 'cancelled, cancelled',
    'replace-card': 'past_due 2',
  },
  'past due, another card being charged': {
    paid: 'active',
    declined: 'past_due 2!',
    'not authenticated': 'past_due 2!',
    pause: 'SP001',
    resume: 'SP001',
    cancel: 'cancelled 2, cancelled',
    'replace-card': 'past_due 2',
  },
  'cancelled, being charged': {
    paid: 'cancelled',
    declined: 'cancelled',
    'not authenticated': 'cancelled',
    pause: 'SP001',
    resume: 'SP001',
    cancel: 'SP001',
    'replace-card': 'SP001',
  },
  cancelled: { pause: 'SP001', resume: 'SP001', cancel: 'SP001', 'replace-card': 'SP001' },
  completed: { pause: 'SP001', resume: 'SP001', cancel: 'SP001', 'replace-card': 'SP001' },
};

function outcomeOf(state: PlanState, command: PlanCommand, nowMs = NOW): string {
  const decided = decide(order, state, command, nowMs);
  if (isRefusal(decided)) return decided.refused === 'transaction_failed' ? 'SP001' : decided.refused;
  return decided
    .map(({ state: { status, open }, published }) => {
      const shown = open === undefined ? status : `${status} ${open.cycle}${open.hasFailed ? '!' : ''}`;
      return [shown, ...published.map((type) => type.replace('subscription.', ''))].join(', ');
    })
    .join(' and ');
}

function stateAfter(state: PlanState, command: PlanCommand, nowMs = NOW, of = order): PlanState {
  const decided = decide(of, state, command, nowMs);
  if (isRefusal(decided)) return expect.fail(decided.message);
  return decided[0]?.state ?? state;
}

describe.each(Object.entries(STATES))('given a plan that is %s', (name, state) => {
  const moves = new Map(Object.entries(new Map(Object.entries(MOVES)).get(name) ?? {}));
  test.each(Object.entries(COMMANDS))('when %s', (command, value) => {
    expect(outcomeOf(state, value)).toBe(moves.get(command) ?? '');
  });
});

describe('the announcement of an expiring card', () => {
  const announce = { type: 'announce-expiry' } as const;
  const noticeMs = card.expiresAtMs - EXPIRY_NOTICE_MS;

  test.each(Object.entries(STATES))('is made 30 days before, and once, while the plan has not ended: %s', (_name, state) => {
    const hasEnded = state.ended !== undefined;
    expect(outcomeOf(state, announce, noticeMs - 1)).toBe('');
    expect(outcomeOf(state, announce, noticeMs)).toMatch(hasEnded ? /^$/ : /, card_expiring$/);
    expect(outcomeOf(stateAfter(state, announce, noticeMs), announce, noticeMs + DAY_MS)).toBe('');
  });

  test('is made of each card', () => {
    const announced = stateAfter(base, announce, noticeMs);
    const replaced = stateAfter(announced, {
      type: 'replace-card',
      card: { ...otherCard, expiresAtMs: card.expiresAtMs + DAY_MS },
    });
    expect(outcomeOf(replaced, announce, noticeMs)).toBe('');
    expect(outcomeOf(replaced, announce, noticeMs + DAY_MS)).toBe('active, card_expiring');
  });
});

describe('a plan', () => {
  test('that starts now is pending, with its first cycle open; one that starts later is active', () => {
    expect(beginPlan(order, card)).toMatchObject({ status: 'pending', open: { cycle: 1, hasFailed: false }, nextCycle: 2 });
    const later = { ...order, createdAtMs: START - 1 };
    expect(beginPlan(later, card)).toMatchObject({ status: 'active', open: undefined, nextCycle: 1 });
  });

  test('begins a cycle when it is due, and not sooner', () => {
    expect(outcomeOf(base, COMMANDS['begin-cycle'], NOW - 1)).toBe('');
    expect(stateAfter(base, COMMANDS['begin-cycle'])).toMatchObject({ open: charging, nextCycle: 3 });
  });

  test('keeps the network transaction id of its card’s first charge; another card has one of its own', () => {
    const first = stateAfter(STATES['active, being charged'], paid);
    expect(first.card.networkTransactionId).toBe('n-1');
    const second = stateAfter(
      { ...first, open: { cycle: 3, hasFailed: false } },
      { ...paid, cycle: 3, reference: referenceOf('n-2') },
    );
    expect([second.card.networkTransactionId, second.paidCycles]).toEqual(['n-1', 3]);
    const replaced = stateAfter(first, COMMANDS['replace-card']);
    const third = stateAfter(
      { ...replaced, open: { cycle: 3, hasFailed: false } },
      { ...paid, cycle: 3, reference: referenceOf('n-3', otherCard) },
    );
    expect(third.card).toMatchObject({ token: 't-2', networkTransactionId: 'n-3' });
  });

  test('has no network transaction id of the card that was replaced while it was charged', () => {
    const replaced = stateAfter(STATES['active, being charged'], COMMANDS['replace-card']);
    expect(stateAfter(replaced, paid)).toMatchObject({ paidCycles: 2, card: { token: 't-2', networkTransactionId: '' } });
  });

  test('skips what fell due in a pause, and completes where nothing is left', () => {
    const paused = STATES['paused before its cycle was due'];
    expect(stateAfter(paused, COMMANDS.resume, NOW + 1).nextCycle).toBe(3);
    expect(stateAfter(STATES['paused after its cycle was due'], COMMANDS.resume, NOW + 100 * DAY_MS).nextCycle).toBe(2);
    expect(outcomeOf(paused, COMMANDS.resume, NOW + 100 * DAY_MS)).toBe('completed, completed');
  });

  test('skips what fell due in a pause also while a cycle from before it is owed', () => {
    // The second cycle is being charged, the third one is owed, the fourth one falls due in the pause.
    const due = (cycle: number) => dueOf(order.calendar, cycle);
    const endless = { ...order, totalCycles: undefined };
    const to = (state: PlanState, command: PlanCommand, nowMs: number) => stateAfter(state, command, nowMs, endless);
    const paused = to(STATES['active, being charged'], COMMANDS.pause, due(3) + 1);
    const resumed = to(paused, COMMANDS.resume, due(4) + 1);
    expect(resumed).toMatchObject({ open: charging, nextCycle: 3 });
    const third = to(to(resumed, paid, due(4) + 1), COMMANDS['begin-cycle'], due(4) + 1);
    expect(third).toMatchObject({ open: { cycle: 3, hasFailed: false }, nextCycle: 5, skips: [] });
  });

  test('remembers no pause in which nothing fell due', () => {
    const paused = stateAfter(STATES['active, being charged'], COMMANDS.pause, NOW + 1);
    expect(stateAfter(paused, COMMANDS.resume, NOW + 2).skips).toEqual([]);
  });
});
