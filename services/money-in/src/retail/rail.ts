import { chainOfPaymentCode } from '@gerbang/core';
import type { Rail } from '../rail/rail.ts';
import { RETAIL } from './retail.ts';

/**
 * Chains of shops that bring cash for payment codes. They ask before they take it, hold nothing beforehand, and take no payment
 * back.
 */
export const retailRail: Rail = {
  name: RETAIL,
  reverses: false,
  issuerOf: chainOfPaymentCode,
  read(paid) {
    if (paid.case !== 'retail') return undefined;
    const { paymentCode, retailCodes } = paid.value;
    return { paidTo: paymentCode, issuers: retailCodes, tipSen: 0n, payer: undefined };
  },
};
