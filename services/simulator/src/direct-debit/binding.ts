import { z } from 'zod';
import type { Handler } from '../handler.ts';
import { DO_NOT_HONOR, done, partnerReference, takeExternalId } from '../money-in/snap-fields.ts';
import { snapMoment } from '../money-in/snap-time.ts';
import { verifySignedRequest } from '../snap/access-token.ts';
import { readBody, type SnapAnswer, sendAnswer } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { directDebitBankOf } from './open.ts';

export const AUTH_CODE = '10';
export const BIND = '07';
export const ACCOUNT = '08';
export const UNBIND = '09';
export const CUSTOMER_TOKEN = '74';

const seamless = z.string().transform((text, problem) => {
  try {
    return z.object({ mobileNumber: z.string().min(4).max(18) }).parse(JSON.parse(text));
  } catch {
    problem.addIssue('expected JSON with a mobileNumber');
    return z.NEVER;
  }
});
const authorization = z.object({
  redirectUrl: z.string(),
  scopes: z.string(),
  state: z.string().min(1).max(32),
  seamlessData: seamless,
});
const binding = z.object({
  partnerReferenceNo: partnerReference,
  authCode: z.string().min(1).max(64),
  phoneNo: z.string().min(4).max(16),
  additionalInfo: z.object({ bankCode: z.string().min(1).max(8) }),
});
const inquiry = z.object({ partnerReferenceNo: partnerReference });
const unbinding = z.object({ partnerReferenceNo: partnerReference, tokenId: z.string().min(1).max(128) });
const grant = z.union([
  z.object({ grantType: z.literal('AUTHORIZATION_CODE'), authCode: z.string().min(1) }),
  z.object({ grantType: z.literal('REFRESH_TOKEN'), refreshToken: z.string().min(1) }),
]);

export const INVALID_CUSTOMER: SnapAnswer = { http: 404, caseCode: '11', message: 'Invalid Card/Account/Customer' };
export const INVALID_CUSTOMER_TOKEN: SnapAnswer = { http: 401, caseCode: '02', message: 'Invalid Customer Token' };
export const OTP_REQUIRED: SnapAnswer = { http: 404, caseCode: '06', message: 'Need To Request OTP' };

export const directDebit = () => 'direct-debit' as const;

/** GET /v1.0/get-auth-code: the customer agrees (SNAP 10). A phone that ends in 0404 has no account. */
export const authCode = transaction(AUTH_CODE, authorization, directDebit, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  const { mobileNumber } = body.seamlessData;
  if (mobileNumber.endsWith('0404')) return INVALID_CUSTOMER;
  if (forced === 'failed') return DO_NOT_HONOR;
  const code = await (await directDebitBankOf(context)).links.authorize(mobileNumber);
  return done({ authCode: code, state: body.state });
});

/** POST /v1.0/registration-account-binding: binds the account of a consent whose OTP was right (SNAP 07). */
export const bind = transaction(BIND, binding, directDebit, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  const { links, otps } = await directDebitBankOf(context);
  const { partnerReferenceNo: reference, authCode: code, phoneNo: phone, additionalInfo } = body;
  if (forced === 'failed') return DO_NOT_HONOR;
  if (!(await otps.isVerified(reference, BIND))) return OTP_REQUIRED;
  const link = await links.bind({ reference, authCode: code, phone, bankCode: additionalInfo.bankCode });
  if (link === undefined) return INVALID_CUSTOMER;
  if (forced === 'timeout') return 'silence';
  return done({ referenceNo: link.linkId, partnerReferenceNo: reference, accountToken: link.accountToken, linkId: link.linkId });
});

/** POST /v1.0/registration-account-inquiry: the customer's account (SNAP 08). */
export const account = transaction(ACCOUNT, inquiry, directDebit, async (context, { body, externalKey, customerToken }) => {
  takeExternalId(context, externalKey);
  const link = await (await directDebitBankOf(context)).links.findByAccessToken(customerToken);
  if (link === undefined) return INVALID_CUSTOMER_TOKEN;
  if (!link.isBound) return INVALID_CUSTOMER;
  const { accountNumber: accountNo, accountName } = link;
  return done({ referenceNo: link.linkId, partnerReferenceNo: body.partnerReferenceNo, accountNo, accountName });
});

/** POST /v1.0/registration-account-unbinding (SNAP 09). */
export const unbind = transaction(
  UNBIND,
  unbinding,
  directDebit,
  async (context, { body, externalKey, forced, customerToken }) => {
    takeExternalId(context, externalKey);
    const { links } = await directDebitBankOf(context);
    const link = await links.findByAccountToken(body.tokenId);
    if (link === undefined || !link.isBound) return INVALID_CUSTOMER;
    if ((await links.findByAccessToken(customerToken))?.reference !== link.reference) return INVALID_CUSTOMER_TOKEN;
    if (forced === 'failed') return DO_NOT_HONOR;
    await links.unbind(link.reference);
    if (forced === 'timeout') return 'silence';
    return done({ referenceNo: link.linkId, linkId: link.linkId, unlinkResult: 'success' });
  },
);

/** POST /v1.0/access-token/b2b2c: a customer's tokens, by the consent's code once, then by each refresh token (SNAP 74). */
export const customerToken: Handler = async (context, request, reply) => {
  verifySignedRequest(context, request);
  const asked = readBody(typeof request.body === 'string' ? request.body : '', grant);
  const { links } = await directDebitBankOf(context);
  const given =
    asked.grantType === 'AUTHORIZATION_CODE'
      ? await links.issueTokens(asked.authCode)
      : await links.refreshTokens(asked.refreshToken);
  if (given === undefined)
    return sendAnswer(context, reply, CUSTOMER_TOKEN, { http: 401, caseCode: '00', message: 'Unauthorized. {Token}' });
  const expiry = snapMoment(given.expiresAtMs);
  const fields = {
    accessToken: given.accessToken,
    tokenType: 'Bearer',
    accessTokenExpiryTime: expiry,
    refreshToken: given.refreshToken,
    refreshTokenExpiryTime: expiry,
  };
  return sendAnswer(context, reply, CUSTOMER_TOKEN, { http: 200, caseCode: '00', message: 'Successful', fields });
};
