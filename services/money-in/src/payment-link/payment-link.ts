import { isPaymentMethod, type VaSeries } from '@gerbang/core';
import { beyond, boundsFor, type OwnLimit } from '../payable/bounds.ts';
import { hasNumbers } from './payable-methods.ts';

const STANDARD_BOUNDS = { minSen: 1n, maxSen: 99_999_999_999_999n };
const MAX_USAGE_MAX = 255;

/** What of a link has rules; absent where it is not asked for. */
export type AskedLink = {
  amountSen: bigint | undefined;
  maxUsage: number | undefined;
  expiresAtMs: number | undefined;
  paymentMethods: readonly string[];
};

/** The first thing that is wrong, under the API's name of its field; undefined where nothing is (contract §5). */
export function checkLink(
  asked: AskedLink,
  { limits, vaSeries, nowMs }: { limits: readonly OwnLimit[]; vaSeries: VaSeries; nowMs: number },
): { field: string; message: string } | undefined {
  const { amountSen, maxUsage, expiresAtMs, paymentMethods } = asked;
  const amount = amountSen === undefined ? undefined : beyond(boundsFor(limits, 'payment-link', STANDARD_BOUNDS), amountSen);
  if (amount !== undefined) return { field: 'amount', message: amount };
  if (maxUsage !== undefined && (maxUsage < 1 || maxUsage > MAX_USAGE_MAX))
    return { field: 'max_usage', message: `must be from 1 to ${MAX_USAGE_MAX}` };
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) return { field: 'expired_at', message: 'must be in the future' };
  const unknown = paymentMethods.find((code) => !isPaymentMethod(code));
  if (unknown !== undefined) return { field: 'payment_methods', message: `${unknown} is not the code of a payment method` };
  const numberless = paymentMethods.find((code) => !hasNumbers(vaSeries, code));
  return numberless === undefined ? undefined : { field: 'payment_methods', message: `${numberless} is not available` };
}
