import { AVAILABLE_PAYMENT_METHODS, isVaBankCode, type VaSeries } from '@gerbang/core';

const VIRTUAL_ACCOUNT = 'VA_';

/** Codes of the methods by which customers can pay here. */
export function payableMethods(vaSeries: VaSeries): string[] {
  return AVAILABLE_PAYMENT_METHODS.filter((code) => hasNumbers(vaSeries, code));
}

/** False for the virtual accounts of a bank that has given us no numbers; true for every other method. */
export function hasNumbers(vaSeries: VaSeries, code: string): boolean {
  if (!code.startsWith(VIRTUAL_ACCOUNT)) return true;
  const bank = code.slice(VIRTUAL_ACCOUNT.length);
  return isVaBankCode(bank) && vaSeries[bank] !== undefined;
}
