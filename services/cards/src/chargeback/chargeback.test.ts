import { isRefusal } from '@gerbang/core';
import { describe, expect, it } from 'vitest';
import { decide } from './chargeback.ts';
import type { ChargebackCommand, ChargebackState } from './state.ts';

const NOW = 1_800_000_000_000;
const reserve = { reservedSen: 100n, feeSen: 5n };
const none = { reservedSen: 0n, feeSen: 0n };
const opened: ChargebackState = { status: 'opened', tries: 0, waitingFor: '' };
const at = (status: 'reserving' | 'reserved' | 'restoring' | 'forfeiting'): ChargebackState => ({ status, reserve });
const ended = (status: 'won' | 'lost'): ChargebackState => ({ status, reserve, endedAtMs: NOW });
const win: ChargebackCommand = { type: 'end', outcome: 'won' };
const lose: ChargebackCommand = { type: 'end', outcome: 'lost' };

const ALL = [
  { status: 'unmatched' } as const,
  opened,
  at('reserving'),
  at('reserved'),
  at('restoring'),
  at('forfeiting'),
  ended('won'),
  ended('lost'),
];

/** What each state becomes, in the order of ALL; a word is a refusal, nothing is no change. */
const TABLE: [string, ChargebackCommand, (ChargebackState | string | undefined)[], string | undefined][] = [
  ['wait', { type: 'wait', waitingFor: 'x' }, [undefined, { ...opened, tries: 1, waitingFor: 'x' }], undefined],
  ['claim', { type: 'claim', reserve }, [undefined, at('reserving')], undefined],
  ['reserved', { type: 'reserved' }, [undefined, undefined, at('reserved')], 'card-chargeback.opened'],
  [
    'win',
    win,
    [
      { status: 'restoring', reserve: none },
      'unavailable',
      'unavailable',
      at('restoring'),
      undefined,
      'bad_request',
      undefined,
      'bad_request',
    ],
    undefined,
  ],
  [
    'lose',
    lose,
    [
      { status: 'forfeiting', reserve: none },
      'unavailable',
      'unavailable',
      at('forfeiting'),
      'bad_request',
      undefined,
      'bad_request',
      undefined,
    ],
    undefined,
  ],
];

describe('a chargeback', () => {
  it.each(TABLE)('%s', (_, command, expected, published) => {
    for (const [i, state] of ALL.entries()) {
      const events = decide(state, command, NOW);
      const became = isRefusal(events) ? events.refused : events[0]?.state;
      expect([state.status, became]).toEqual([state.status, expected[i]]);
      if (!isRefusal(events) && events[0] !== undefined) expect(events[0].published).toBe(published);
    }
  });

  it.each([
    ['restoring', 'won'],
    ['forfeiting', 'lost'],
  ] as const)('that is %s has ended when the ledger has moved it: %s', (from, to) => {
    expect(decide(at(from), { type: 'ended' }, NOW)).toEqual([
      { type: 'changed', state: ended(to), published: `card-chargeback.${to}` },
    ]);
    for (const state of ALL.filter(({ status }) => status !== 'restoring' && status !== 'forfeiting'))
      expect(decide(state, { type: 'ended' }, NOW)).toEqual([]);
  });
});
