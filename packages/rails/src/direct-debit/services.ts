import { type Provider, type SnapService, serviceOf } from '../providers/provider.ts';

/** Every SNAP service of direct debit, as the provider has it. Throws where it lacks one. */
export function directDebitServices(provider: Provider) {
  return {
    authCode: serviceOf(provider, 'authCode'),
    otp: serviceOf(provider, 'otp'),
    verifyOtp: serviceOf(provider, 'otpVerification'),
    bind: serviceOf(provider, 'accountBinding'),
    customerToken: serviceOf(provider, 'accessTokenB2b2c'),
    account: serviceOf(provider, 'accountBindingInquiry'),
    unbind: serviceOf(provider, 'accountUnbinding'),
    charge: serviceOf(provider, 'debitPayment'),
    status: serviceOf(provider, 'debitStatus'),
    refund: serviceOf(provider, 'debitRefund'),
  } satisfies Record<string, SnapService>;
}
