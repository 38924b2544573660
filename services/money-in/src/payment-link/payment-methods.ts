import { AVAILABLE_PAYMENT_METHODS } from '@gerbang/core';
import { isOffered, type Method } from '../payment-request/method.ts';

/** Codes of the methods by which customers can pay here. */
export function offeredMethods(methods: readonly Method[]): string[] {
  return AVAILABLE_PAYMENT_METHODS.filter((code) => isOffered(methods, code));
}
