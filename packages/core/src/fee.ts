import { roundToRupiah } from './money.ts';

/**
 * One line of a merchant's fee schedule: what the merchant pays for a product, and what of it goes on to the vendor (a bank or an
 * acquirer).
 */
export type FeeRule = {
  product: string;
  /** A bank's national code or another channel of the product; empty = all. */
  channel: string;
  fixedSen: bigint;
  /** Hundredths of a percent of the amount; of QRIS and cards, the MDR. */
  basisPoints: number;
  minimumSen: bigint;
  /** 0 = no maximum. */
  maximumSen: bigint;
  vendorFixedSen: bigint;
  vendorBasisPoints: number;
  effectiveFromMs: number;
  /** The first moment at which it no longer applies; 0 = no end. */
  effectiveUntilMs: number;
};

/** What is charged: a product's payment over a channel, at a moment of business time. */
export type Charge = { product: string; channel: string; amountSen: bigint; nowMs: number };

/**
 * The figures of a fee, sen, all of them whole rupiah; feeSen = vendorFeeSen + ourMarginSen. A transaction keeps them as they
 * were, also when the schedule changes. The margin is negative where the vendor takes more than the merchant pays.
 */
export type Fee = {
  feeSen: bigint;
  /** The percentage that applied, hundredths of a percent. */
  basisPoints: number;
  vendorFeeSen: bigint;
  ourMarginSen: bigint;
};

/**
 * The fee of a payment, rounded half up to the whole rupiah (contract §2), then held within minimum and maximum. It comes on top
 * of the amount (money out) or out of it (money in, see `deductFee`). A rule for the very channel goes before one for all
 * channels; among equals the one that came into effect last applies. No rule, no fee.
 */
export function feeFor(rules: readonly FeeRule[], charge: Charge): Fee {
  const { amountSen } = charge;
  const best = feeRuleFor(rules, charge);
  if (best === undefined) return { feeSen: 0n, basisPoints: 0, vendorFeeSen: 0n, ourMarginSen: 0n };
  const feeSen = withinBounds(part(best.fixedSen, best.basisPoints, amountSen), best);
  const vendorFeeSen = part(best.vendorFixedSen, best.vendorBasisPoints, amountSen);
  return { feeSen, basisPoints: best.basisPoints, vendorFeeSen, ourMarginSen: feeSen - vendorFeeSen };
}

/** The rule that applies; undefined where none does. */
export function feeRuleFor<Rule extends FeeRuleScope>(
  rules: readonly Rule[],
  { product, channel, nowMs }: Omit<Charge, 'amountSen'>,
): Rule | undefined {
  let best: Rule | undefined;
  for (const rule of rules) {
    if (rule.product !== product || !isInEffect(rule, nowMs)) continue;
    if (rule.channel !== '' && rule.channel !== channel) continue;
    if (best === undefined || outranks(rule, best)) best = rule;
  }
  return best;
}

/**
 * The fee of money in, which comes out of the amount: it never takes more than there is, and netSen = amountSen − feeSen ≥ 0 is
 * what is credited.
 */
export function deductFee(rules: readonly FeeRule[], charge: Charge): Fee & { netSen: bigint } {
  const fee = feeFor(rules, charge);
  const feeSen = fee.feeSen < charge.amountSen ? fee.feeSen : charge.amountSen;
  return { ...fee, feeSen, ourMarginSen: feeSen - fee.vendorFeeSen, netSen: charge.amountSen - feeSen };
}

type FeeRuleScope = Pick<FeeRule, 'product' | 'channel' | 'effectiveFromMs' | 'effectiveUntilMs'>;

function isInEffect({ effectiveFromMs, effectiveUntilMs }: FeeRuleScope, nowMs: number): boolean {
  return effectiveFromMs <= nowMs && (effectiveUntilMs === 0 || nowMs < effectiveUntilMs);
}

function outranks(rule: FeeRuleScope, other: FeeRuleScope): boolean {
  if ((rule.channel !== '') !== (other.channel !== '')) return rule.channel !== '';
  return rule.effectiveFromMs > other.effectiveFromMs;
}

function part(fixedSen: bigint, basisPoints: number, amountSen: bigint): bigint {
  return roundToRupiah(fixedSen * 10_000n + amountSen * BigInt(basisPoints), 10_000n);
}

/** Bounds that are no whole rupiah hold as the whole rupiah within them. */
function withinBounds(feeSen: bigint, { minimumSen, maximumSen }: FeeRule): bigint {
  const least = ((minimumSen + 99n) / 100n) * 100n;
  const most = (maximumSen / 100n) * 100n;
  const raised = feeSen < least ? least : feeSen;
  return maximumSen > 0n && raised > most ? most : raised;
}
