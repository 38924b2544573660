import { toMoney } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { BookItem, Route, SimulatedRail } from '../simulated-rail.ts';
import { ACCESS_TOKEN, accessToken } from '../snap/access-token.ts';
import { ACCOUNT, AUTH_CODE, account, authCode, BIND, bind, CUSTOMER_TOKEN, customerToken, UNBIND, unbind } from './binding.ts';
import { CHARGE, CHARGE_STATUS, charge, chargeStatus, REFUND, refund } from './charge.ts';
import { endBinding } from './end-binding.ts';
import { directDebitBankOf } from './open.ts';
import { REQUEST_OTP, requestOtp, VERIFY_OTP, verifyOtp } from './otp.ts';

/** The bank whose customers bind their accounts, under an address of its own: its payments have the paths that e-wallets have. */
const SNAP: readonly Route[] = [
  { method: 'POST', url: '/v1.0/access-token/b2b', handler: accessToken, service: ACCESS_TOKEN },
  { method: 'POST', url: '/v1.0/access-token/b2b2c', handler: customerToken, service: CUSTOMER_TOKEN },
  { method: 'GET', url: '/v1.0/get-auth-code', handler: authCode, service: AUTH_CODE },
  { method: 'POST', url: '/v1.0/otp', handler: requestOtp, service: REQUEST_OTP },
  { method: 'POST', url: '/v1.0/otp-verification', handler: verifyOtp, service: VERIFY_OTP },
  { method: 'POST', url: '/v1.0/registration-account-binding', handler: bind, service: BIND },
  { method: 'POST', url: '/v1.0/registration-account-inquiry', handler: account, service: ACCOUNT },
  { method: 'POST', url: '/v1.0/registration-account-unbinding', handler: unbind, service: UNBIND },
  { method: 'POST', url: '/v1.0/debit/payment-host-to-host', handler: charge, service: CHARGE },
  { method: 'POST', url: '/v1.0/debit/status', handler: chargeStatus, service: CHARGE_STATUS },
  { method: 'POST', url: '/v1.0/debit/refund', handler: refund, service: REFUND },
];

/** The bank of direct debit. */
export const directDebitRail: SimulatedRail = {
  routes: [
    ...SNAP.map((route) => ({ ...route, url: `/direct-debit${route.url}` })),
    { method: 'POST', url: '/sandbox/direct-debit/:binding_id/unbind', handler: endBinding, anyone: false },
  ],
  books: { 'direct-debit': bookCharges },
};

/** Refunds name their charge as Gerbang does. */
async function* bookCharges(context: Context): AsyncGenerator<BookItem> {
  const { charges } = await directDebitBankOf(context);
  for await (const { reference, referenceNo, amountSen, status, refunds } of charges.all()) {
    const amount = toMoney(amountSen);
    yield { reference_number: referenceNo, transaction_id: reference, direction: 'in', amount, status };
    for (const refund of refunds)
      yield {
        reference_number: refund.reference,
        transaction_id: reference,
        direction: 'out',
        amount: toMoney(refund.amountSen),
        status: 'success',
      };
  }
}
