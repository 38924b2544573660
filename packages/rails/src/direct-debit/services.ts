import type { SnapService } from '../snap-client.ts';

/** Every SNAP service of direct debit, and where a bank has it. */
export const DIRECT_DEBIT_SERVICES = {
  authCode: { path: '/v1.0/get-auth-code', code: '10', method: 'GET' },
  otp: { path: '/v1.0/otp', code: '81' },
  verifyOtp: { path: '/v1.0/otp-verification', code: '04' },
  bind: { path: '/v1.0/registration-account-binding', code: '07' },
  customerToken: { path: '/v1.0/access-token/b2b2c', code: '74' },
  account: { path: '/v1.0/registration-account-inquiry', code: '08' },
  unbind: { path: '/v1.0/registration-account-unbinding', code: '09' },
  charge: { path: '/v1.0/debit/payment-host-to-host', code: '54' },
  status: { path: '/v1.0/debit/status', code: '55' },
  refund: { path: '/v1.0/debit/refund', code: '58' },
} as const satisfies Record<string, SnapService>;
