import { PAYMENT_METHODS, type PaymentMethod } from '@gerbang/core';
import type { Texts } from '../text/id.ts';
import { CARD, type Session } from './session.ts';

/** The order in which groups are offered: what costs a customer the fewest steps comes first. */
const GROUPS = ['qris', 'ewallet', 'card', 'virtual_account', 'retail'] as const;
export type MethodGroup = (typeof GROUPS)[number];

/** The methods that a session can still be paid by, in groups. */
export function offeredMethods(session: Session): { group: MethodGroup; methods: PaymentMethod[] }[] {
  const left = methodsLeft(session);
  const offered = PAYMENT_METHODS.filter(({ code }) => left.includes(code));
  return GROUPS.map((group) => ({ group, methods: offered.filter((method) => method.group === group) })).filter(
    ({ methods }) => methods.length > 0,
  );
}

/** Codes of the methods that a session can still be paid by: the link's, without those that were declined. */
export function methodsLeft({ link, history }: Session): string[] {
  return link.paymentMethods.filter((code) => !history.declinedPaymentMethods.includes(code));
}

/** The method of a code; undefined for none. */
export function findMethod(code: string): PaymentMethod | undefined {
  return PAYMENT_METHODS.find((method) => method.code === code);
}

/** A method as pages name it. */
export function methodName(code: string, { card }: Texts): string | undefined {
  return code === CARD ? card.method : findMethod(code)?.name;
}

/** What stands behind the group in a code: the bank, the wallet, the chain of shops. */
export function channelOf(code: string): string {
  return code.split('_', 2)[1] ?? '';
}
