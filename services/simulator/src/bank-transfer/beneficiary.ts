import type { Behaviour } from '../control/behaviours.ts';

/** What the bank has decided about a transfer, to come into force after `afterMs` of business time. */
export type Verdict =
  | { outcome: 'success'; afterMs: number }
  | { outcome: 'failed'; responseCode: string; message: string; afterMs: number };

/** A verdict, and whether the bank answers with it or keeps silent. */
export type Decision = { verdict: Verdict; answers: boolean };

/** How long a transfer stays pending that the bank has not answered (contract §11). */
const SETTLES_AFTER_MS = 5_000;

const SUCCESS: Verdict = { outcome: 'success', afterMs: 0 };
const REFUSED: Verdict = { outcome: 'failed', responseCode: '4031805', message: 'Do Not Honor', afterMs: 0 };
const NO_ACCOUNT: Verdict = { outcome: 'failed', responseCode: '4041811', message: 'Invalid Account', afterMs: 0 };

/**
 * What the bank does with a transfer: by the rail's forced outcome, else by the magic beneficiary (contract §11). Forced errors
 * never come here.
 */
export function decisionOf(accountNumber: string, forced: Exclude<Behaviour['outcome'], 'error'>): Decision {
  switch (forced) {
    case 'success':
      return { verdict: SUCCESS, answers: true };
    case 'failed':
      return { verdict: REFUSED, answers: true };
    case 'timeout':
      return { verdict: { ...SUCCESS, afterMs: SETTLES_AFTER_MS }, answers: false };
    case undefined:
      return decisionOfBeneficiary(accountNumber);
    default:
      return forced satisfies never;
  }
}

/** Whether the bank finds the account of an inquiry. */
export function isAccountFound(accountNumber: string, forced: Behaviour['outcome']): boolean {
  return forced === 'success' || (forced !== 'failed' && !accountNumber.endsWith('0404'));
}

function decisionOfBeneficiary(accountNumber: string): Decision {
  switch (accountNumber.slice(-4)) {
    case '0404':
      return { verdict: NO_ACCOUNT, answers: true };
    case '0001':
      return { verdict: REFUSED, answers: true };
    case '0002':
      return { verdict: { ...SUCCESS, afterMs: SETTLES_AFTER_MS }, answers: false };
    case '0003':
      return { verdict: { ...REFUSED, afterMs: SETTLES_AFTER_MS }, answers: false };
    default:
      return { verdict: SUCCESS, answers: true };
  }
}
