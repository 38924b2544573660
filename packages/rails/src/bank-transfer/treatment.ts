import { type Cases, cases, QUESTION_CASES, SEND_CASES } from '../treatment.ts';

/** Account inquiry (15, 16). A failure is about the account: there is none, or it takes no money (dormant, inactive). */
export const ACCOUNT_INQUIRY_CASES: Cases = {
  ...QUESTION_CASES,
  ...cases(403, '09 18', 'failure'),
  ...cases(404, '11', 'failure'),
};

/** Transfer (17, 18): as SNAP's list has it. */
export const TRANSFER_CASES: Cases = SEND_CASES;

/** Transfer status (36): as SNAP's list has it; slowed down is 429. */
export const TRANSFER_STATUS_CASES: Cases = QUESTION_CASES;

/** Of a transfer that has failed: the bank knows no such account. */
export const UNKNOWN_CASES: ReadonlySet<string> = new Set(['40411']);
/** Of a transfer that has failed: the amount is more than the beneficiary, or its account, may receive. */
export const LIMIT_CASES: ReadonlySet<string> = new Set(['40302', '40323']);
