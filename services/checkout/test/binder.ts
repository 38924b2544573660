import { randomBytes, randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { RefusalError, refuse } from '@gerbang/core';
import {
  type BindPage,
  BindPageSchema,
  type BindPageService,
  BindStep,
  OtpResult,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { Handlers } from '@gerbang/rpc';

const LIFE_MS = 1_800_000;

/** The direct-debit service's contract for pages in a few lines: bindings by their tokens, which tests may change. */
export function newBinder() {
  const pages = new Map<string, BindPage>();
  const asked: string[] = [];
  const find = (token: string): BindPage => {
    const page = pages.get(token);
    if (page === undefined) throw new RefusalError(refuse('transaction_not_found'));
    return page;
  };
  const move = (token: string, what: string, change: (page: BindPage) => Partial<BindPage>) => {
    asked.push(what);
    const page = find(token);
    Object.assign(page, change(page));
    return { page };
  };
  const handlers: Handlers<typeof BindPageService> = {
    getBindPage: async ({ token }) => ({ page: find(token) }),
    consent: async ({ token, language }) =>
      move(token, `consent ${language}`, () => ({ step: BindStep.OTP, otpAttemptsLeft: 3, otpResendsLeft: 2 })),
    decline: async ({ token }) => move(token, 'decline', () => ({ step: BindStep.FAILED, failedReason: 'declined' })),
    submitOtp: async ({ token, otp }) =>
      move(token, `otp ${otp}`, ({ otpAttemptsLeft }) =>
        otp === '123456'
          ? { step: BindStep.BOUND, bankAccountEnd: '4321' }
          : { otpAttemptsLeft: otpAttemptsLeft - 1, otpResult: OtpResult.WRONG },
      ),
    resendOtp: async ({ token }) => move(token, 'resend', ({ otpResendsLeft }) => ({ otpResendsLeft: otpResendsLeft - 1 })),
    handOver: async ({ token }) => {
      const { redirectUrl, bindingId } = find(token);
      return { location: redirectUrl === '' ? '' : `${redirectUrl}?binding_id=${bindingId}&handover_code=once` };
    },
  };
  return {
    handlers,
    asked,
    /** A binding whose customer has not begun, unless told, and the path of its page. */
    newBinding(over: Partial<BindPage> = {}): { path: string; page: BindPage } {
      const token = randomBytes(16).toString('hex') + randomBytes(32).toString('base64url');
      const page = create(BindPageSchema, {
        step: BindStep.CONSENT,
        bindingId: randomUUID(),
        merchantName: 'Toko Demo',
        bankCode: 'BRI',
        bankName: 'Bank Rakyat Indonesia',
        customerPhoneEnd: '7890',
        expiredAtMs: BigInt(Date.now() + LIFE_MS),
        redirectUrl: 'https://toko.example/terhubung',
      });
      Object.assign(page, over);
      pages.set(token, page);
      return { path: `/bind/${token}`, page };
    },
  };
}
