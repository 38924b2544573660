// What SNAP's response cases mean for direct debit, by `<HTTP>/<case>`. A case that a table lacks tells nothing: it is asked about.
// `failed` holds for the first send only: after an unanswered one every refusal is asked about, which outcomes.ts sees to.

type Cases<Treatment> = Readonly<Record<string, Treatment>>;

/** 403 cases that refuse for good: expired, not allowed, limits, fraud, cut-off, cards, funds, blacklists. */
const FORBIDDEN = ['00', '01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '14', '15', '17', '18', '19', '20', '21'];
const FORBIDDEN_MORE = ['22', '23'];
/** 404 cases that refuse for good: no such bank, card, account, merchant, bill, amount, partner or terminal. */
const MISSING = ['03', '04', '05', '07', '08', '09', '10', '11', '12', '13', '14', '16', '17', '19'];

/** These refuse for good, of every service. */
const REFUSALS: Cases<'failed'> = {
  ...cases(400, ['00', '01', '02'], 'failed'),
  ...cases(403, [...FORBIDDEN, ...FORBIDDEN_MORE], 'failed'),
  ...cases(404, MISSING, 'failed'),
  ...cases(405, ['00', '01'], 'failed'),
};

/** Service 54. 200 is an order that was taken, no payment: 55 says what has become of it. */
export const CHARGE_CASES: Cases<'accepted' | 'pending' | 'otp' | 'unauthorized' | 'failed' | 'ask'> = {
  ...REFUSALS,
  '200/00': 'accepted',
  '202/00': 'pending',
  // Signature and the partner's own token: not executed, and right again with a new token. It is sent again where 55 knows it not.
  ...cases(401, ['00', '01', '03'], 'ask'),
  ...cases(401, ['02', '04'], 'unauthorized'),
  // An OTP has to be asked for, was sent, is over or was wrong: nothing was charged.
  ...cases(403, ['12', '13'], 'otp'),
  ...cases(404, ['06', '15'], 'otp'),
  '403/11': 'failed',
  // Suspended: SNAP does not explain it.
  '403/16': 'ask',
  // 00 is about cancels and refunds, 01 about what is not known yet, 02 about the way there.
  ...cases(404, ['00', '01', '02'], 'ask'),
  // Another request had this reference: what became of that one is not said.
  '404/18': 'ask',
  ...cases(409, ['00', '01'], 'ask'),
  '429/00': 'ask',
  ...cases(500, ['00', '01', '02'], 'ask'),
  '504/00': 'ask',
};

/** Service 55. A refused question says nothing of the charge; only 404/01 says that the bank knows of none. */
export const STATUS_CASES: Cases<'read' | 'not_found'> = { '200/00': 'read', '404/01': 'not_found' };

/** Service 55, `latestTransactionStatus`. One that was given back before it was ever told as paid took no money in the end. */
export const CHARGE_STATUSES: Cases<'succeeded' | 'pending' | 'failed' | 'not_found'> = {
  '00': 'succeeded',
  '01': 'pending',
  '02': 'pending',
  '03': 'pending',
  '04': 'failed',
  '05': 'failed',
  '06': 'failed',
  '07': 'not_found',
};

/** Service 58. */
export const REFUND_CASES: Cases<'succeeded' | 'pending' | 'failed' | 'ask'> = {
  ...REFUSALS,
  '200/00': 'succeeded',
  '202/00': 'pending',
  ...cases(401, ['00', '01', '02', '03', '04'], 'ask'),
  // No OTP belongs to a refund.
  ...cases(403, ['11', '12', '13', '16'], 'ask'),
  // The charge is not one that can be given back, or the bank does not know it.
  ...cases(404, ['00', '01'], 'failed'),
  ...cases(404, ['02', '06', '15'], 'ask'),
  // ASPI counts it as a success, DANA as a refusal of the second request: the history says which.
  '404/18': 'ask',
  ...cases(409, ['00', '01'], 'ask'),
  '429/00': 'ask',
  ...cases(500, ['00', '01', '02'], 'ask'),
  '504/00': 'ask',
};

/** Service 55, `refundStatus` of its history. */
export const REFUND_STATUSES: Cases<'succeeded' | 'pending' | 'failed'> = { '00': 'succeeded', '03': 'pending', '06': 'failed' };

/** Service 81. */
export const SEND_OTP_CASES: Cases<'sent' | 'blocked' | 'failed'> = {
  ...REFUSALS,
  '200/00': 'sent',
  '403/13': 'sent',
  '403/11': 'blocked',
};

/** Service 04. */
export const VERIFY_OTP_CASES: Cases<'accepted' | 'wrong' | 'expired' | 'blocked' | 'failed'> = {
  ...REFUSALS,
  '200/00': 'accepted',
  '404/15': 'wrong',
  '403/12': 'expired',
  '403/13': 'expired',
  '404/06': 'expired',
  '403/11': 'blocked',
};

/** Services 10 and 07. */
export const BIND_CASES: Cases<'done' | 'pending' | 'failed'> = {
  ...REFUSALS,
  '200/00': 'done',
  '202/00': 'pending',
  '403/11': 'failed',
};

/** Service 74. A refused code or refresh token is good for nothing any more. */
export const TOKEN_CASES: Cases<'done' | 'failed'> = {
  '200/00': 'done',
  ...cases(400, ['01', '02'], 'failed'),
  ...cases(401, ['00', '02', '04'], 'failed'),
};

/** Service 08. */
export const ACCOUNT_CASES: Cases<'done' | 'gone'> = {
  '200/00': 'done',
  ...cases(401, ['02', '04'], 'gone'),
  '403/18': 'gone',
  ...cases(404, ['01', '11'], 'gone'),
};

/** Service 09. */
export const UNBIND_CASES: Cases<'done' | 'gone' | 'failed'> = {
  ...REFUSALS,
  '200/00': 'done',
  ...cases(401, ['02', '04'], 'gone'),
  '403/18': 'gone',
  ...cases(404, ['01', '11'], 'gone'),
};

function cases<Treatment>(http: number, codes: readonly string[], treatment: Treatment): Record<string, Treatment> {
  return Object.fromEntries(codes.map((code) => [`${http}/${code}`, treatment]));
}
