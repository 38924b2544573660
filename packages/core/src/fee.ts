import { roundToRupiah } from './money.ts';

/** One line of a merchant's fee schedule. An empty channel stands for all channels of the product. */
export type FeeRule = {
  product: string;
  channel: string;
  fixedSen: bigint;
  basisPoints: number;
  minimumSen: bigint;
  /** 0 = no maximum. */
  maximumSen: bigint;
  effectiveFromMs: number;
};

/**
 * The fee of a payment, in sen, rounded half up to the whole rupiah (contract §2).
 * A rule for the very channel goes before one for all channels; among equals the newest that has come into effect applies. No rule, no fee.
 */
export function feeFor(rules: readonly FeeRule[], product: string, channel: string, amountSen: bigint, nowMs: number): bigint {
  let best: FeeRule | undefined;
  for (const rule of rules) {
    if (rule.product !== product || rule.effectiveFromMs > nowMs) continue;
    if (rule.channel !== '' && rule.channel !== channel) continue;
    if (best === undefined || outranks(rule, best)) best = rule;
  }
  if (best === undefined) return 0n;
  const raw = roundToRupiah(best.fixedSen * 10_000n + amountSen * BigInt(best.basisPoints), 10_000n);
  const floored = raw < best.minimumSen ? best.minimumSen : raw;
  return best.maximumSen > 0n && floored > best.maximumSen ? best.maximumSen : floored;
}

function outranks(rule: FeeRule, other: FeeRule): boolean {
  if ((rule.channel !== '') !== (other.channel !== '')) return rule.channel !== '';
  return rule.effectiveFromMs > other.effectiveFromMs;
}
