import { createHmac } from 'node:crypto';

const DIGITS = 20;

/**
 * The token of a purchase, made anew whenever it is asked for: an aggregator answers a reference alike for ever. `secret` is what
 * only the aggregator and its partner know.
 */
export function tokenOf(secret: string, seed: string): string {
  const digest = createHmac('sha256', secret).update(`prepaid-token:${seed}`).digest('hex');
  return (BigInt(`0x${digest}`) % 10n ** BigInt(DIGITS)).toString().padStart(DIGITS, '0');
}
