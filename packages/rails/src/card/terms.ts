import { z } from 'zod';
import type { CardData } from './card-data.ts';

const installments = z.strictObject({
  /** The first six or eight digits of the cards that it is for; empty: all. */
  bins: z.array(z.string().regex(/^(?:[0-9]{6}|[0-9]{8})$/, 'expected six or eight digits')).default([]),
  months: z.array(z.number().int().min(2).max(60)).min(1),
  minimum: z.number().int().min(0).default(0),
});

/** What an acquirer offers, as data: a further acquirer, or other conditions, take no code. */
export const acquirerTermsSchema = z.strictObject({
  /** How long after it was authorised a payment may be voided, while it is not captured. */
  void_hours: z.number().min(0).max(720).default(24),
  refunds: z.boolean().default(true),
  installments: z.array(installments).default([]),
});

/** `minimumSen`: of the amount. An empty list of BINs means all cards. */
export type InstallmentTerm = { bins: readonly string[]; months: readonly number[]; minimumSen: bigint };
export type AcquirerTerms = { voidMs: number; refunds: boolean; installments: readonly InstallmentTerm[] };

/** What is offered unless configured otherwise: 3, 6 and 12 months for every card, voids within a day, refunds. */
export const DEFAULT_TERMS = JSON.stringify({ void_hours: 24, refunds: true, installments: [{ months: [3, 6, 12] }] });

/** Reads the terms from their JSON; undefined where they are none. */
export function parseAcquirerTerms(text: string): AcquirerTerms | undefined {
  const parsed = acquirerTermsSchema.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const { void_hours, refunds, installments: offered } = parsed.data;
  return {
    voidMs: void_hours * 3_600_000,
    refunds,
    installments: offered.map(({ bins, months, minimum }) => ({ bins, months, minimumSen: BigInt(minimum) * 100n })),
  };
}

/** Why a card is not charged in so many months; undefined where it is. One month is no installment. */
export function whyNoInstallment(
  terms: AcquirerTerms,
  card: Pick<CardData, 'hasPrefix'>,
  wanted: { months: number; amountSen: bigint },
): 'months' | 'card' | 'amount' | undefined {
  if (wanted.months === 1) return undefined;
  const byMonths = terms.installments.filter(({ months }) => months.includes(wanted.months));
  if (byMonths.length === 0) return 'months';
  const byCard = byMonths.filter(({ bins }) => bins.length === 0 || bins.some((bin) => card.hasPrefix(bin)));
  if (byCard.length === 0) return 'card';
  return byCard.some(({ minimumSen }) => wanted.amountSen >= minimumSen) ? undefined : 'amount';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
