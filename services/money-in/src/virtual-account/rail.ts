import { bankOfVaNumber, type VaSeries } from '@gerbang/core';
import type { Rail } from '../rail/rail.ts';
import { VA_RAIL } from './virtual-account.ts';

/**
 * Banks that bring money for virtual account numbers. They ask before they take it, hold nothing beforehand, and take no payment
 * back.
 */
export function bankRail(vaSeries: VaSeries): Rail {
  return {
    name: VA_RAIL,
    reverses: false,
    issuerOf: (number) => bankOfVaNumber(vaSeries, number),
    read(paid) {
      if (paid.case !== 'virtualAccount') return undefined;
      const { number, bankCodes } = paid.value;
      return { paidTo: number, issuers: bankCodes, tipSen: 0n, payer: undefined };
    },
  };
}
