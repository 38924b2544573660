import { type Spread, spreadOf } from './statistics.ts';

/** A figure of this round, or of a round before, by its whole name: `<turn>.<figure>`. Throws when it was not measured. */
export type FigureOf = (name: string) => number;

/**
 * What is judged: a figure by itself, its ratio `over` another one, or what it is more than another one (`less`), always of the
 * same round. `figure`, `over` and `less` are whole names, `<turn>.<figure>`. Without `min` and `max` it is told and never fails.
 */
export type Bar = {
  name: string;
  figure: string;
  over?: string;
  less?: string;
  min?: number;
  max?: number;
};

/** The bar with what was measured; NaN where somebody has not measured what it needs. */
export type Judged = Bar & { value: Spread; held: boolean };

/** Judges the median over the rounds. What depends on a figure that is NaN is not held. */
export function judge(bar: Bar, rounds: readonly FigureOf[]): Judged {
  const value = spreadOf(rounds.map((figure) => valueIn(bar, figure)));
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = bar;
  return { ...bar, value, held: !isBounded(bar) || (value.median >= min && value.median <= max) };
}

/** Whether it can fail. */
export function isBounded({ min, max }: Bar): boolean {
  return min !== undefined || max !== undefined;
}

/** By how much of its bound a bar is missed; 0 where it is held. */
export function missedBy({ held, value: { median }, min, max }: Judged): number {
  if (held) return 0;
  const bound = min !== undefined && !(median >= min) ? min : max;
  return bound === undefined ? Number.NaN : Math.abs(median - bound) / Math.abs(bound);
}

function valueIn({ figure, over, less }: Bar, of: FigureOf): number {
  if (over !== undefined) return of(figure) / of(over);
  return less === undefined ? of(figure) : of(figure) - of(less);
}
