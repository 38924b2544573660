import { isRefusal } from '@gerbang/core';
import { expect, test } from 'vitest';
import { type Decision, type DiscrepancyCommand, type DiscrepancyState, decideDiscrepancy } from './discrepancy.ts';

const NOW = 9;
const sums = { netSen: 5n, feeSen: 1n, vendorFeeSen: 0n };
const told = { kind: 'surplus', toldAtMs: 3, refusals: 0 } as const;
const credit: Decision = { choice: 'credit', sums };
const withdraw: Decision = { choice: 'withdraw', sums };

const states = {
  watching: { status: 'watching', inquiries: 0 },
  'long watching': { status: 'watching', inquiries: 55 },
  closed: { status: 'closed', reason: 'unanswered', endedAtMs: 5 },
  booking: { status: 'booking', ...told },
  open: { status: 'open', ...told },
  short: { status: 'open', ...told, kind: 'shortfall' },
  moving: { status: 'moving', ...told, decision: credit },
  decided: { status: 'decided', ...told, decision: credit, endedAtMs: 5 },
} as const satisfies Record<string, DiscrepancyState>;

const commands = {
  watch: { type: 'watch' },
  wait: { type: 'wait' },
  agree: { type: 'agree' },
  tell: { type: 'tell', kind: 'shortfall' },
  book: { type: 'book' },
  credit: { type: 'decide', decision: credit },
  withdraw: { type: 'decide', decision: withdraw },
  refuse: { type: 'refuse', attempt: 1 },
  'refuse another attempt': { type: 'refuse', attempt: 2 },
  finish: { type: 'finish' },
} as const satisfies Record<string, DiscrepancyCommand>;

type Row = Partial<Record<keyof typeof commands, DiscrepancyState | 'refused'>>;

const booking: DiscrepancyState = { status: 'booking', kind: 'shortfall', toldAtMs: NOW, refusals: 0 };
const decideNothing = { credit: 'refused', withdraw: 'refused' } as const;

/** What changes or is refused; all else changes nothing. */
const rows: Record<keyof typeof states, Row> = {
  watching: {
    wait: { status: 'watching', inquiries: 1 },
    agree: { status: 'closed', reason: 'agreed', endedAtMs: NOW },
    tell: booking,
    ...decideNothing,
  },
  'long watching': {
    wait: { status: 'closed', reason: 'unanswered', endedAtMs: NOW },
    agree: { status: 'closed', reason: 'agreed', endedAtMs: NOW },
    tell: booking,
    ...decideNothing,
  },
  closed: { watch: { status: 'watching', inquiries: 0 }, tell: booking, ...decideNothing },
  booking: { book: states.open, ...decideNothing },
  open: { credit: states.moving, withdraw: 'refused' },
  short: { credit: 'refused', withdraw: { ...states.short, status: 'moving', decision: withdraw } },
  moving: {
    withdraw: 'refused',
    refuse: { ...states.open, refusals: 1 },
    finish: { ...states.decided, endedAtMs: NOW },
  },
  decided: { withdraw: 'refused' },
};

test.each(
  Object.entries(states).flatMap(([name, state]) =>
    Object.entries(commands).map(([what, command]) => [name, what, state, command] as const),
  ),
)('%s: %s', (name, what, state, command) => {
  const expected = Object.entries(rows).find(([key]) => key === name)?.[1];
  const decided = decideDiscrepancy(state, command, NOW);
  const after = isRefusal(decided) ? 'refused' : (decided[0]?.state ?? state);
  expect(after).toEqual(Object.entries(expected ?? {}).find(([key]) => key === what)?.[1] ?? state);
});

test('nothing is withdrawn from an account that has got nothing', () => {
  const decision: Decision = { choice: 'withdraw', sums: { netSen: 0n, feeSen: 6n, vendorFeeSen: 0n } };
  expect(isRefusal(decideDiscrepancy(states.short, { type: 'decide', decision }, NOW))).toBe(true);
});
