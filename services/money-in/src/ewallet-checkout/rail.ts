import type { Rail } from '../rail/rail.ts';
import { EWALLET_RAIL } from './ewallet-checkout.ts';

/** E-wallets. They have taken the money when they report it, hold what customers confirm, and take payments back. */
export const walletRail: Rail = {
  name: EWALLET_RAIL,
  reverses: true,
  read(paid) {
    if (paid.case !== 'ewallet') return undefined;
    return { paidTo: paid.value.partnerReference, issuers: [], tipSen: 0n, payer: undefined };
  },
  inquire: ({ ewallet }, { reference, amountSen }, signal) =>
    ewallet.inquirePayment({ partnerReference: reference, railReference: '', amountSen }, { signal }),
};
