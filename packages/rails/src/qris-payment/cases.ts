import { type Cases, SEND_CASES, cases as snapCases } from '../treatment.ts';
import type { QrisProblem } from './qris-payment.ts';

/**
 * What SNAP's answers mean for the payment of a code, by HTTP status and case (snap-services.md, response codes). What is not
 * listed says nothing, and is inquired.
 */

/** Service 50: as SNAP's list has it. The cases of an OTP, which no payment that a merchant orders has, are for operators. */
export const PAYMENT_CASES: Cases = SEND_CASES;

/** Of a payment that has failed: the acquirer knows no such merchant. */
export const MERCHANT_UNKNOWN_CASES: ReadonlySet<string> = new Set(['404/08', '404/11', '404/17']);
/** Of a payment that has failed: a limit of the code's merchant. */
export const MERCHANT_LIMIT_CASES: ReadonlySet<string> = new Set(['403/20', '403/23']);

/**
 * Service 48. It moves nothing, so a refusal is final for this attempt. `used`: another code may have been decoded under the
 * reference, which a payment under it would then pay. Neither 404/18 nor 409/01 says which one.
 */
export const DECODE_CASES: Readonly<Record<string, 'found' | QrisProblem>> = {
  '200/00': 'found',
  '403/00': 'expired',
  '404/19': 'expired',
  '404/14': 'paid',
  '404/18': 'used',
  '409/01': 'used',
  '400/01': 'invalid',
  '404/12': 'invalid',
  ...cases(403, ['02', '20', '23'], 'amount'),
  '404/13': 'amount',
  ...cases(404, ['08', '11', '16', '17'], 'merchant'),
  ...cases(403, ['01', '03', '04', '05', '06', '09', '14', '15', '18', '19', '21', '22'], 'other'),
  ...cases(404, ['03', '04', '05', '07', '09', '10'], 'other'),
  ...cases(405, ['00', '01'], 'other'),
};

/** Service 51. A refused question says nothing of the payment; only 404/01 says that the acquirer knows of none. */
export const QUERY_CASES: Readonly<Record<string, 'read' | 'not_found'>> = { '200/00': 'read', '404/01': 'not_found' };

/**
 * Service 77. Only the yes is final. Every refusal (a payment that was made, that may not be canceled, or that is not known), and
 * every answer that says nothing, leads to an inquiry.
 */
export const CANCEL_CASES: Readonly<Record<string, 'done' | 'not_found'>> = { '200/00': 'done', '404/01': 'not_found' };

/**
 * Service 78. As of a payment, but here 404 00 (the status does not allow it) and 404 01 (not known) are refusals too. 404 18 is
 * a success to ASPI; only an inquiry can say so.
 */
export const REFUND_CASES: Cases = { ...SEND_CASES, ...snapCases(404, '00 01', 'failure') };

/** Service 51, `latestTransactionStatus`. Not found is not failed. */
export const QUERY_STATUSES: Readonly<
  Record<string, 'succeeded' | 'pending' | 'returned' | 'canceled' | 'failed' | 'not_found'>
> = {
  '00': 'succeeded',
  '01': 'pending',
  '02': 'pending',
  '03': 'pending',
  '04': 'returned',
  '05': 'canceled',
  '06': 'failed',
  '07': 'not_found',
};

function cases<Treatment>(http: number, codes: readonly string[], treatment: Treatment): Record<string, Treatment> {
  return Object.fromEntries(codes.map((code) => [`${http}/${code}`, treatment]));
}
