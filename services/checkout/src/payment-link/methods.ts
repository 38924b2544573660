import { AVAILABLE_PAYMENT_METHODS, PAYMENT_METHODS, type PaymentMethod } from '@gerbang/core';

/** The order in which groups are offered: what costs a customer the fewest steps comes first. */
const GROUPS = ['qris', 'ewallet', 'virtual_account', 'retail'] as const;
export type MethodGroup = (typeof GROUPS)[number];

/** The methods of a link that customers can pay by today, in groups; a link may name others already, for instance cards. */
export function offeredMethods(codes: readonly string[]): { group: MethodGroup; methods: PaymentMethod[] }[] {
  const offered = PAYMENT_METHODS.filter(({ code }) => codes.includes(code) && AVAILABLE_PAYMENT_METHODS.includes(code));
  return GROUPS.map((group) => ({ group, methods: offered.filter((method) => method.group === group) })).filter(
    ({ methods }) => methods.length > 0,
  );
}

/** The method of a code; undefined for none. */
export function findMethod(code: string): PaymentMethod | undefined {
  return PAYMENT_METHODS.find((method) => method.code === code);
}

/** What stands behind the group in a code: the bank, the wallet, the chain of shops. */
export function channelOf(code: string): string {
  return code.split('_', 2)[1] ?? '';
}
