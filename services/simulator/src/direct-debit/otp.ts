import { z } from 'zod';
import { done, partnerReference, takeExternalId } from '../money-in/snap-fields.ts';
import type { SnapAnswer } from '../snap/snap.ts';
import { transaction } from '../snap/transaction.ts';
import { directDebit } from './binding.ts';
import { directDebitBankOf } from './open.ts';

export const REQUEST_OTP = '81';
export const VERIFY_OTP = '04';

const request = z.object({
  journeyId: z.string().min(1).max(32),
  partnerReferenceNo: partnerReference,
  otpTrxCode: z.enum(['07', '54', '09']),
});
const verification = z.object({
  originalPartnerReferenceNo: partnerReference,
  otp: z.string().min(1).max(8),
  chargeToken: z.string().min(1).max(40),
});

/** POST /v1.0/otp: sends an OTP, which is 123456 (SNAP 81). */
export const requestOtp = transaction(REQUEST_OTP, request, directDebit, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  const chargeToken = await (await directDebitBankOf(context)).otps.send(body.partnerReferenceNo, body.otpTrxCode);
  if (forced === 'timeout') return 'silence';
  return done({ partnerReferenceNo: body.partnerReferenceNo, chargeToken });
});

const REFUSALS: Readonly<Record<'wrong' | 'expired' | 'blocked' | 'unknown', SnapAnswer>> = {
  wrong: { http: 404, caseCode: '15', message: 'Invalid OTP' },
  expired: { http: 403, caseCode: '12', message: 'OTP Lifetime Expired' },
  blocked: { http: 403, caseCode: '11', message: 'OTP Blocked' },
  unknown: { http: 404, caseCode: '06', message: 'Need To Request OTP' },
};

/** POST /v1.0/otp-verification (SNAP 04). */
export const verifyOtp = transaction(VERIFY_OTP, verification, directDebit, async (context, { body, externalKey, forced }) => {
  takeExternalId(context, externalKey);
  const { originalPartnerReferenceNo: reference, otp, chargeToken } = body;
  const result = await (await directDebitBankOf(context)).otps.verify(chargeToken, reference, otp);
  if (forced === 'timeout') return 'silence';
  return result === 'accepted' ? done({ originalPartnerReferenceNo: reference }) : REFUSALS[result];
});
