import { isRefusal } from '@gerbang/core';
import { describe, expect, test } from 'vitest';
import { decide } from './payment.ts';
import type { Authorisation, PaymentCommand, PaymentState, Published } from './state.ts';

const NOW = 1_000_000;
const HOUR = 3_600_000;
const authorisation: Authorisation = {
  acquirerReference: 'a-1',
  approvalCode: '000001',
  authorisedAtMs: NOW,
  captureAtMs: NOW + 30_000,
  networkTransactionId: '',
  fees: { feeSen: 4_00n, netSen: 96_00n, vendorFeeSen: 2_00n, basisPoints: 200 },
};
const terms = { type: 'cancel', voidMs: 24 * HOUR, refunds: true } as const;
const authorise: PaymentCommand = { type: 'authorise', authorisation };
const toCaptured: readonly PaymentCommand[] = [
  { type: 'send' },
  authorise,
  { type: 'begin-capture' },
  { type: 'captured', settleAtMs: NOW + HOUR },
  { type: 'credited' },
];
const toSettled: readonly PaymentCommand[] = [...toCaptured, { type: 'begin-settling' }, { type: 'settled', atMs: NOW + HOUR }];

/** What commands make of a new payment, and what the merchant hears. Each is given twice: the second one changes nothing. */
function result(commands: readonly PaymentCommand[], nowMs = NOW + HOUR): { state: PaymentState; heard: Published[] } {
  let state: PaymentState = { status: 'created' };
  const heard: Published[] = [];
  for (const command of commands) {
    const events = decide(state, command, nowMs);
    if (isRefusal(events)) return expect.fail(events.message);
    for (const event of events) {
      state = event.state;
      if (event.published !== undefined) heard.push(event.published);
    }
  }
  return { state, heard };
}

function refusalOf(commands: readonly PaymentCommand[], command: PaymentCommand, nowMs = NOW + HOUR): string {
  const decided = decide(result(commands, nowMs).state, command, nowMs);
  return isRefusal(decided) ? decided.refused : expect.fail('it was not refused');
}

test.each<[string, readonly PaymentCommand[], PaymentState['status'], Published[]]>([
  ['it is sent', [{ type: 'send' }], 'authorising', []],
  ['its process has died before', [{ type: 'give-up' }], 'failed', ['card-transaction.failed']],
  ['it is authorised', [{ type: 'send' }, authorise], 'authorised', ['card-transaction.succeeded']],
  ['it is declined', [{ type: 'send' }, { type: 'fail', code: '51', reason: '' }], 'failed', ['card-transaction.failed']],
  ['it is captured and credited', toCaptured, 'captured', ['card-transaction.succeeded']],
  ['it is settled', toSettled, 'settled', ['card-transaction.succeeded']],
  [
    'it is voided',
    [{ type: 'send' }, authorise, terms, { type: 'voided' }],
    'cancelled',
    ['card-transaction.succeeded', 'card-transaction.cancelled'],
  ],
  [
    'it is refunded',
    [...toCaptured, terms, { type: 'reserved' }, { type: 'refund-done' }],
    'refunded',
    ['card-transaction.succeeded', 'card-transaction.refunded'],
  ],
  [
    'the acquirer refuses its refund',
    [...toSettled, terms, { type: 'reserved' }, { type: 'refund-refused', reason: 'no' }, { type: 'returned' }],
    'settled',
    ['card-transaction.succeeded'],
  ],
  [
    'it was authorised after it had failed',
    [{ type: 'send' }, { type: 'fail', code: '', reason: '' }, { type: 'late-authorised' }, { type: 'released' }],
    'failed',
    ['card-transaction.failed'],
  ],
  [
    'the acquirer takes it back',
    [...toCaptured, { type: 'withdraw', said: 'refunded', reason: '' }, { type: 'withdrawn' }],
    'withdrawn',
    ['card-transaction.succeeded', 'card-transaction.refunded'],
  ],
])('given a new payment, when %s', (_what, commands, status, heard) => {
  const given = result(commands);
  expect([given.state.status, given.heard]).toEqual([status, heard]);
});

test.each<[string, readonly PaymentCommand[]]>([
  ['sent', [{ type: 'send' }]],
  ['challenging', [{ type: 'send' }, { type: 'challenge', url: 'https://acs', expiresAtMs: NOW }]],
  ['failed', [{ type: 'give-up' }]],
])('a cancel of one that is %s is refused', (_what, commands) => {
  expect(refusalOf(commands, terms)).toBe('transaction_failed');
});

describe('a cancel', () => {
  test('of an authorised one is a void, also when its capture is due: only one of them is decided', () => {
    const authorised: readonly PaymentCommand[] = [{ type: 'send' }, authorise];
    const voiding = result([...authorised, terms]).state;
    expect(voiding.status).toBe('voiding');
    expect(decide(voiding, { type: 'begin-capture' }, NOW + HOUR)).toEqual([]);
    expect(refusalOf([...authorised, { type: 'begin-capture' }], terms)).toBe('unavailable');
  });

  test('after the void window of the acquirer is refused', () => {
    expect(refusalOf([{ type: 'send' }, authorise], terms, NOW + 24 * HOUR)).toBe('transaction_failed');
  });

  test('where the acquirer gives no refunds is refused', () => {
    expect(refusalOf(toCaptured, { ...terms, refunds: false })).toBe('transaction_failed');
  });

  test('takes the net amount from pending and the fee from available, or all of it from available once it has settled', () => {
    expect(result([...toCaptured, terms]).state).toMatchObject({ refund: { fromPendingSen: 96_00n, fromAvailableSen: 4_00n } });
    expect(result([...toSettled, terms]).state).toMatchObject({ refund: { fromPendingSen: 0n, fromAvailableSen: 100_00n } });
  });

  test('that was refused takes another attempt, also after it has settled meanwhile', () => {
    const refused: readonly PaymentCommand[] = [...toCaptured, terms, { type: 'reserve-refused' }];
    expect(result([...refused, terms]).state).toMatchObject({ refund: { attempt: 2 } });
    const settled: readonly PaymentCommand[] = [...refused, { type: 'begin-settling' }, { type: 'settled', atMs: NOW }];
    expect(result([...settled, terms]).state).toMatchObject({ refund: { attempt: 2 } });
  });
});

test('a late answer of the acquirer changes nothing that has an outcome', () => {
  for (const commands of [toCaptured, toSettled, [{ type: 'send' }, { type: 'fail', code: '', reason: '' }] as const]) {
    const { state } = result(commands);
    for (const command of [authorise, { type: 'fail', code: '05', reason: '' }, { type: 'pending' }] as const)
      expect(decide(state, command, NOW)).toEqual([]);
  }
});
