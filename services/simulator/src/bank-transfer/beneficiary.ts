import type { Behaviour } from '../control/behaviours.ts';

/** What the bank has decided about a transfer, to come into force after `afterMs` of business time. */
export type Verdict =
  | { outcome: 'success'; afterMs: number }
  | { outcome: 'failed'; responseCode: string; message: string; afterMs: number };

/** A verdict, and whether the bank answers with it or keeps silent. */
export type Decision = { verdict: Verdict; answers: boolean };

/** What a rail is forced to, other than to fail without an answer. */
export type Forced = Exclude<Behaviour['outcome'], 'error'>;

/** How long a transfer stays pending that the bank has not answered (contract §11). */
const SETTLES_AFTER_MS = 5_000;

const SUCCESS: Verdict = { outcome: 'success', afterMs: 0 };
const REFUSED: Verdict = { outcome: 'failed', responseCode: '4031805', message: 'Do Not Honor', afterMs: 0 };
const NO_ACCOUNT: Verdict = { outcome: 'failed', responseCode: '4041811', message: 'Invalid Account', afterMs: 0 };

/**
 * What the bank does with a transfer: by the rail's forced outcome, else by the magic beneficiary (contract §11). Forced errors
 * never come here. `failedCase`: why it fails, where that is forced.
 */
export function decisionOf(accountNumber: string, forced: Forced, failedCase?: Behaviour['failed_case']): Decision {
  const refused = failedCase === undefined ? REFUSED : forcedRefusal(failedCase);
  return decideBy(accountNumber, forced, { refused, unknown: NO_ACCOUNT });
}

/** `failedCase`: HTTP status and case. */
function forcedRefusal(failedCase: string): Verdict {
  const responseCode = `${failedCase.slice(0, 3)}18${failedCase.slice(3)}`;
  return { outcome: 'failed', responseCode, message: 'Refused as the sandbox was told', afterMs: 0 };
}

/** The same for any rail: `refused` and `unknown` are its own words for the two failures. */
export function decideBy(
  beneficiary: string,
  forced: Forced,
  { refused, unknown }: { refused: Verdict; unknown: Verdict },
): Decision {
  switch (forced) {
    case 'success':
      return { verdict: SUCCESS, answers: true };
    case 'failed':
      return { verdict: refused, answers: true };
    case 'timeout':
      return { verdict: { ...SUCCESS, afterMs: SETTLES_AFTER_MS }, answers: false };
    case undefined:
      break;
    default:
      return forced satisfies never;
  }
  switch (beneficiary.slice(-4)) {
    case '0404':
      return { verdict: unknown, answers: true };
    case '0001':
      return { verdict: refused, answers: true };
    case '0002':
      return { verdict: { ...SUCCESS, afterMs: SETTLES_AFTER_MS }, answers: false };
    case '0003':
      return { verdict: { ...refused, afterMs: SETTLES_AFTER_MS }, answers: false };
    default:
      return { verdict: SUCCESS, answers: true };
  }
}

/** Whether the bank, or a wallet, finds the beneficiary of an inquiry. */
export function isBeneficiaryFound(beneficiary: string, forced: Behaviour['outcome']): boolean {
  return forced === 'success' || (forced !== 'failed' && !beneficiary.endsWith('0404'));
}
