import { type Cases, cases, QUESTION_CASES, SEND_CASES } from '../treatment.ts';

/** Account inquiry (37). A failure is about the customer; most of what else is refused is not about us, and so not for operators. */
export const WALLET_INQUIRY_CASES: Cases = {
  ...QUESTION_CASES,
  ...cases(403, '11 12 13 17 21 22', 'inquire'),
  ...cases(404, '00 04 06 07 09 12 13 14 15 18 19', 'inquire'),
  ...cases(403, '02 05 07 09 18 23', 'failure'),
  ...cases(404, '11', 'failure'),
};

/** Top-up (38). 404 14 may speak of an earlier one. */
export const TOPUP_CASES: Cases = { ...SEND_CASES, ...cases(404, '14', 'inquire') };

/** Top-up status (39): as SNAP's list has it. */
export const TOPUP_STATUS_CASES: Cases = QUESTION_CASES;
