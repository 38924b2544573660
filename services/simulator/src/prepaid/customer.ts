import { type Decision, decideBy, type Forced, type Verdict } from '../bank-transfer/beneficiary.ts';
import type { Behaviour } from '../control/behaviours.ts';
import { DO_NOT_HONOR, done } from '../money-in/snap-fields.ts';
import type { SnapAnswer } from '../snap/snap.ts';

const REFUSED: Verdict = { outcome: 'failed', responseCode: '4039605', message: 'Do Not Honor', afterMs: 0 };
const NO_CUSTOMER: Verdict = { outcome: 'failed', responseCode: '4049611', message: 'Invalid Customer', afterMs: 0 };
const BLOCKED: Verdict = { outcome: 'failed', responseCode: '4039618', message: 'The meter is blocked', afterMs: 0 };

/** Further endings of a customer's number, beside those of every rail (contract §11). */
const BLOCKED_ENDING = '0403';
const UNAVAILABLE_ENDING = '0503';
/** Every purchase for such a number gets one and the same token: a biller's mistake. */
const DUPLICATE_ENDING = '0409';

/** What the aggregator does with a purchase. */
export function decisionOf(customerNumber: string, forced: Forced): Decision {
  const unknown = customerNumber.endsWith(BLOCKED_ENDING) ? BLOCKED : NO_CUSTOMER;
  if (forced === undefined && customerNumber.endsWith(BLOCKED_ENDING)) return { verdict: BLOCKED, answers: true };
  return decideBy(customerNumber, forced, { refused: REFUSED, unknown });
}

/** What the aggregator answers when it is asked whose number it is. */
export function answerInquiry(customerNumber: string, forced: Behaviour['outcome']): SnapAnswer | 'silence' {
  if (forced === 'timeout') return 'silence';
  if (forced === 'failed') return DO_NOT_HONOR;
  if (forced !== 'success') {
    switch (customerNumber.slice(-4)) {
      case '0404':
        return { http: 404, caseCode: '11', message: 'Invalid Customer' };
      case BLOCKED_ENDING:
        return { http: 403, caseCode: '18', message: 'Inactive Customer' };
      case UNAVAILABLE_ENDING:
        return { http: 404, caseCode: '02', message: 'Invalid Routing' };
    }
  }
  return done({ customerNo: customerNumber, customerName: `TEST ${customerNumber.slice(-4)}` });
}

/** What a token is made of: the purchase, but for numbers whose tokens are all alike. */
export function tokenSeed(customerNumber: string, reference: string): string {
  return customerNumber.endsWith(DUPLICATE_ENDING) ? 'the same' : reference;
}
