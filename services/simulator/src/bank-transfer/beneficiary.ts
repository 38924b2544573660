import type { Behaviour } from '../control/behaviours.ts';

/** What becomes of a transfer, by the beneficiary's last four digits or the forced behaviour of the rail (contract §11). */
export type Fate =
  | { kind: 'not-found' }
  | { kind: 'error' }
  /** `delayMs` of business time; `answers` tells whether the bank answers the call at all. */
  | { kind: 'booked'; outcome: 'success' | 'failed'; delayMs: number; answers: boolean };

const DELAY_MS = 5_000;

export function fateOf(accountNumber: string, behaviour: Behaviour): Fate {
  switch (behaviour.outcome) {
    case 'error':
      return { kind: 'error' };
    case 'success':
      return { kind: 'booked', outcome: 'success', delayMs: 0, answers: true };
    case 'failed':
      return { kind: 'booked', outcome: 'failed', delayMs: 0, answers: true };
    case 'timeout':
      return { kind: 'booked', outcome: 'success', delayMs: DELAY_MS, answers: false };
    case undefined:
      return byAccount(accountNumber);
    default:
      return behaviour.outcome satisfies never;
  }
}

function byAccount(accountNumber: string): Fate {
  switch (accountNumber.slice(-4)) {
    case '0404':
      return { kind: 'not-found' };
    case '0001':
      return { kind: 'booked', outcome: 'failed', delayMs: 0, answers: true };
    case '0002':
      return { kind: 'booked', outcome: 'success', delayMs: DELAY_MS, answers: false };
    case '0003':
      return { kind: 'booked', outcome: 'failed', delayMs: DELAY_MS, answers: false };
    default:
      return { kind: 'booked', outcome: 'success', delayMs: 0, answers: true };
  }
}
