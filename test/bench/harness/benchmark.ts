import type { Bar, FigureOf } from './bars.ts';

/** What a turn has measured, by name; the last word of a name is its unit (`perSecond`, `p99Ms`, `idleMiB`). */
export type Figures = Readonly<Record<string, number>>;

/** Something that is measured in every round. */
export type Turn = {
  /**
   * How long it is to measure, and half as long beforehand, to warm up. With 0 it takes the time that it takes, and is measured
   * cold.
   */
  durationMs: number;
  measure(durationMs: number, figure: FigureOf): Promise<Figures>;
};

/**
 * What runs, once everything is started. Every round measures all floors, then all subjects, in the order of their names here.
 */
export type Plan = {
  /** The bare thing that a subject can't do without. */
  floors: Readonly<Record<string, Turn>>;
  subjects: Readonly<Record<string, Turn>>;
  /** Measured a single time after the rounds: what leaves too much behind, or lasts too long, for a second time. */
  once?: Readonly<Record<string, () => Promise<Figures>>>;
};

/** A benchmark as the harness runs it. */
export type Benchmark = {
  name: string;
  /** One line: what it measures. */
  about: string;
  /** What it needs beyond this repository, and how long it runs. */
  needs: string;
  rounds: number;
  bars: readonly Bar[];
  /** What `--against` compares: figures of subjects by their whole names, of which more is better. */
  compared?: readonly string[];
  /**
   * Starts what it needs; what is deferred to `resources` is closed afterwards, last things first, also after an error. `root` is
   * the folder of the checkout whose processes are measured, where a benchmark starts them itself.
   */
  prepare(resources: AsyncDisposableStack, root: string): Promise<Plan>;
};
