import { createHmac } from 'node:crypto';

const DIGITS = 12;

/**
 * The code of a withdrawal, made anew from its reference whenever it is needed: a bank stores no codes. `secret` is what only
 * this bank and its partner know.
 */
export function codeOf(secret: string, reference: string, salt: number): string {
  const digest = createHmac('sha256', secret).update(`withdrawal-code:${reference}:${salt}`).digest('hex');
  return (BigInt(`0x${digest}`) % 10n ** BigInt(DIGITS)).toString().padStart(DIGITS, '0');
}

/** What a withdrawal is found by when somebody types a code. */
export function hashOf(secret: string, code: string): string {
  return createHmac('sha256', secret).update(`withdrawal-code-hash:${code}`).digest('hex');
}
