import type { QrisProblem } from './qris-payment.ts';

/**
 * What SNAP's answers mean for the payment of a code, by HTTP status and case (snap-services.md, response codes). What is not
 * listed says nothing, and is inquired. Listed as `ask` is what might be taken for a final answer and is none.
 */

/** Service 50, of the first send. After a send without an answer every 4xx is `ask`: it says nothing of that one. */
export const PAYMENT_CASES: Readonly<Record<string, 'done' | 'pending' | 'failed' | 'ask'>> = {
  '200/00': 'done',
  '202/00': 'pending',
  // Bad request, field format, mandatory field: the acquirer has not taken it, and it will never be another one.
  ...cases(400, ['00', '01', '02'], 'failed'),
  // Signature and tokens: not executed, and right again with a new token. It is sent again where the acquirer does not know it.
  ...cases(401, ['00', '01', '02', '03', '04'], 'ask'),
  // Expired, not allowed, limits, fraud, do not honor, cut-off, cards, dormant; OTP blocked (11); funds, accounts, blacklists.
  ...cases(403, ['00', '01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '14', '15'], 'failed'),
  ...cases(403, ['17', '18', '19', '20', '21', '22', '23'], 'failed'),
  // An OTP that is over or was sent: none belongs to a payment that a merchant orders. Suspended (16): SNAP does not explain it.
  ...cases(403, ['12', '13', '16'], 'ask'),
  // 00 is about cancels and refunds, 01 about what is not known yet, 02 about the way there, 06 and 15 about an OTP.
  ...cases(404, ['00', '01', '02', '06', '15'], 'ask'),
  ...cases(404, ['03', '04', '05', '07', '08', '09', '10', '11', '12', '13', '14', '16', '17', '19'], 'failed'),
  // Another request had this reference: what became of that one is not said.
  '404/18': 'ask',
  ...cases(405, ['00', '01'], 'failed'),
  // The id or the reference was used before: by an earlier send, which may have paid.
  ...cases(409, ['00', '01'], 'ask'),
  '429/00': 'ask',
  ...cases(500, ['00', '01', '02'], 'ask'),
  '504/00': 'ask',
};

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
 * Service 78, of the first send; after a send without an answer every 4xx is `ask`. As of a payment, but here 404/00 (the status
 * does not allow it) and 404/01 (not known) are refusals too. 404/18 is a success to ASPI; only an inquiry can say so.
 */
export const REFUND_CASES: typeof PAYMENT_CASES = { ...PAYMENT_CASES, ...cases(404, ['00', '01'], 'failed') };

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
