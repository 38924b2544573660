import type { ResendOtpRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { Context } from '../../context.ts';
import { toPage } from '../page.ts';
import { findByPageToken } from '../page-token.ts';
import { resendBindOtp } from '../send-otp.ts';

/** Another OTP, as often as there are any left. Refusals: transaction_not_found. */
export async function resendOtp(context: Context, { token }: ResendOtpRequest) {
  const binding = await findByPageToken(context, token);
  return { page: await toPage(context, await resendBindOtp(context, binding, undefined)) };
}
