import { findBank } from '@gerbang/core';
import { ConfigError } from '@gerbang/runtime';
import { type Provider, type SnapService, serviceOf } from '../providers/provider.ts';

/** By which services accounts at a bank are inquired and paid. `isIntrabank`: the bank is the provider itself. */
type Route = { inquiry: SnapService; transfer: SnapService; isIntrabank: boolean };

/**
 * The ways from a provider to every bank. Throws ConfigError where the provider lacks a service, or wants our account named and it is not, or
 * not by that many digits.
 */
export function createRoutes(provider: Provider, sourceAccountNumber: string | undefined) {
  const { bankCode: codeKind = 'national', ownBankCode, sourceAccountDigits } = provider.bankTransfer ?? {};
  if (sourceAccountDigits !== undefined && !new RegExp(`^\\d{${sourceAccountDigits}}$`).test(sourceAccountNumber ?? '')) {
    throw new ConfigError([`the provider ${provider.name} wants our account named, which has ${sourceAccountDigits} digits`]);
  }
  const others: Route = {
    inquiry: serviceOf(provider, 'accountInquiryExternal'),
    transfer: serviceOf(provider, 'transferInterbank'),
    isIntrabank: false,
  };
  const own: Route =
    ownBankCode === undefined
      ? others
      : {
          inquiry: serviceOf(provider, 'accountInquiryInternal'),
          transfer: serviceOf(provider, 'transferIntrabank'),
          isIntrabank: true,
        };
  return {
    /** `bankCode`: national. */
    of: (bankCode: string): Route => (bankCode === ownBankCode ? own : others),
    /** How the provider wants the bank named. */
    bankCodeFor: (bankCode: string): string => (codeKind === 'swift' ? (findBank(bankCode)?.swiftCode ?? bankCode) : bankCode),
    status: serviceOf(provider, 'transferStatus'),
  };
}
