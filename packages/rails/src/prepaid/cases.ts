/**
 * What the answers of a prepaid rail mean, by HTTP status and case. The cases are SNAP's. What is not listed says nothing, and is
 * asked again.
 */

/** Inquiry (95). It moves nothing. */
export const INQUIRY_CASES: Readonly<Record<string, 'found' | 'unknown_customer' | 'blocked' | 'unavailable' | 'operator'>> = {
  '200/00': 'found',
  '404/11': 'unknown_customer',
  // A dormant, suspended or inactive customer: the meter is blocked, the number is off.
  ...cases(403, ['09', '16', '18'], 'blocked'),
  // Cut-off (06), not permitted now (15), no way to this biller (404 02), no such product there (404 08 and 12).
  ...cases(403, ['06', '15'], 'unavailable'),
  ...cases(404, ['02', '08', '12'], 'unavailable'),
  // The request is wrong, or what the rail has agreed with us.
  ...cases(400, ['00', '01', '02'], 'operator'),
  ...cases(403, ['00', '01', '08', '14', '19', '20'], 'operator'),
  ...cases(405, ['00', '01'], 'operator'),
};

/**
 * Purchase (96), the first send. After a send without an answer every refusal is `ask`: a rail may refuse the repetition (in the
 * cut-off, say) before it has looked the first one up. `read`: the answer names the purchase, and its status decides.
 */
export const PURCHASE_CASES: Readonly<Record<string, 'read' | 'pending' | 'failed' | 'ask' | 'operator'>> = {
  '200/00': 'read',
  '202/00': 'pending',
  // Bad request, field format, mandatory field: it has not been taken, and it will never be another one.
  ...cases(400, ['00', '01', '02'], 'failed'),
  // Signature and tokens: not executed, and right again with a new token.
  ...cases(401, ['00', '01', '02', '03', '04'], 'ask'),
  // Expired, not allowed, limits, fraud, do not honor, cut-off, dormant, our deposit (14), permissions, inactive, blacklists.
  ...cases(403, ['00', '01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '14', '15', '16'], 'failed'),
  ...cases(403, ['17', '18', '19', '20', '21', '22', '23'], 'failed'),
  // No way to the biller, no such product, customer, bill or amount.
  ...cases(404, ['02', '03', '04', '05', '08', '09', '10', '11', '12', '13', '16', '17', '19'], 'failed'),
  // Not known, or paid already: that may be an earlier send.
  ...cases(404, ['00', '01', '14'], 'ask'),
  // The reference was used for something else. References are ours and random, so something is wrong.
  '404/18': 'operator',
  '409/01': 'operator',
  '409/00': 'ask',
  ...cases(405, ['00', '01'], 'failed'),
  '429/00': 'ask',
  ...cases(500, ['00', '01', '02'], 'ask'),
  ...cases(503, ['00'], 'ask'),
  '504/00': 'ask',
};

/** `latestTransactionStatus` of 96. A purchase is never refunded or canceled, so 04 and 05 are for operators. */
export const PURCHASE_STATUSES: Readonly<Record<string, 'succeeded' | 'pending' | 'failed'>> = {
  '00': 'succeeded',
  '01': 'pending',
  '02': 'pending',
  '03': 'pending',
  '06': 'failed',
};

/** Our deposit at the rail is too small: the purchase has failed, and somebody has to fill it up. */
export const DEPOSIT_SHORT_CASE = '403/14';

function cases<Treatment>(http: number, codes: readonly string[], treatment: Treatment): Record<string, Treatment> {
  return Object.fromEntries(codes.map((code) => [`${http}/${code}`, treatment]));
}
