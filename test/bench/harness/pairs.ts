import path from 'node:path';
import type { Benchmark, Figures, Turn } from './benchmark.ts';
import { interruption } from './run.ts';
import { median } from './statistics.ts';

/** Of fewer values no two enclose the median with 95 %. */
const PAIRS_MIN = 6;

/** The ratios of one figure, ours to theirs, pair by pair, and the interval in which their median lies with 95 %. */
export type Compared = { figure: string; ratios: number[]; median: number; low: number; high: number };

/**
 * Measures two checkouts by turns, `pairs` times, in changing order, so that what else the machine does falls upon both; each is
 * warmed up first. `turns` are by name; `figures` are whole names, `<turn>.<figure>`, of what is compared.
 */
export async function measurePairs(
  turns: Readonly<Record<string, { ours: Turn; theirs: Turn }>>,
  { figures, pairs, say }: { figures: readonly string[]; pairs: number; say: (line: string) => void },
): Promise<Compared[]> {
  const ratios = new Map<string, number[]>(figures.map((figure) => [figure, []]));
  for (const { ours, theirs } of Object.values(turns))
    for (const turn of [ours, theirs]) await turn.measure(turn.durationMs / 2, noFigure);
  for (let pair = 1; pair <= pairs; pair++) {
    for (const [name, { ours, theirs }] of Object.entries(turns)) {
      const [mine, others] = await measureBoth(ours, theirs, pair % 2 === 0);
      for (const [figure, found] of ratios) {
        const [turn, short] = splitName(figure);
        if (turn === name) found.push(figureOf(mine, short) / figureOf(others, short));
      }
      say(`pair ${pair} of ${pairs}: ${name}`);
    }
  }
  return [...ratios].map(([figure, found]) => ({ figure, ratios: found, median: median(found), ...intervalOfMedian(found) }));
}

/**
 * The interval between two of the values in which the median of what they are drawn from lies with at least 95 %; all of them
 * where there are too few.
 */
export function intervalOfMedian(values: readonly number[]): { low: number; high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  let left = 0;
  // The chance that more than so many of the values lie on one side of it: both tails of a binomial distribution.
  for (let tail = binomial(values.length, 0); tail * 2 <= 0.05; tail += binomial(values.length, left)) left++;
  const at = Math.max(0, left - 1);
  return { low: sorted[at] ?? Number.NaN, high: sorted.at(-1 - at) ?? Number.NaN };
}

/**
 * Compares two checkouts by a benchmark: both are started side by side, each by its own harness where it has the benchmark, and
 * measured by turns. Throws where the benchmark says nothing of what it compares.
 */
export async function compareCheckouts(
  benchmark: Benchmark,
  { ourRoot, theirRoot, pairs, say }: { ourRoot: string; theirRoot: string; pairs: number; say: (line: string) => void },
): Promise<Compared[]> {
  const { compared: figures } = benchmark;
  if (figures === undefined) throw new Error(`${benchmark.name} declares nothing to compare`);
  await using resources = new AsyncDisposableStack();
  const interrupted = interruption(resources);
  const work = async () => {
    const theirs = (await benchmarkOf(theirRoot, benchmark.name)) ?? benchmark;
    say('starts both');
    const ourPlan = await benchmark.prepare(resources, ourRoot);
    const theirPlan = await theirs.prepare(resources, theirRoot);
    const turns = new Map<string, { ours: Turn; theirs: Turn }>();
    for (const [name] of figures.map(splitName)) {
      const [ours, others] = [ourPlan.subjects[name], theirPlan.subjects[name]];
      if (ours === undefined || others === undefined) throw new Error(`${name} is not a subject of both checkouts`);
      turns.set(name, { ours, theirs: others });
    }
    return measurePairs(Object.fromEntries(turns), { figures, pairs, say });
  };
  return await Promise.race([work(), interrupted]);
}

/** The benchmark of a name in another checkout; undefined where that has none. */
async function benchmarkOf(root: string, name: string): Promise<Benchmark | undefined> {
  const { benchmarks }: { benchmarks: readonly Benchmark[] } = await import(path.join(root, 'test/bench/benchmarks.ts'));
  return benchmarks.find((one) => one.name === name);
}

/** What a person reads: the ratio of each figure, ours to theirs. */
export function renderPairs(compared: readonly Compared[], bar: number): string {
  const lines = compared.map(({ figure, ratios, low, high, ...rest }) => {
    const interval = ratios.length < PAIRS_MIN ? 'span (too few pairs for an interval)' : '95 % interval';
    const verdict = high >= bar ? `reaches ${bar}` : `DOES NOT REACH ${bar}`;
    return `${figure}: ${rest.median.toFixed(3)} of theirs, ${interval} ${low.toFixed(3)} – ${high.toFixed(3)}, ${ratios.length} pairs: ${verdict}`;
  });
  return `${lines.join('\n')}\n`;
}

async function measureBoth(ours: Turn, theirs: Turn, theirsFirst: boolean): Promise<[Figures, Figures]> {
  if (theirsFirst) {
    const others = await theirs.measure(theirs.durationMs, noFigure);
    return [await ours.measure(ours.durationMs, noFigure), others];
  }
  const mine = await ours.measure(ours.durationMs, noFigure);
  return [mine, await theirs.measure(theirs.durationMs, noFigure)];
}

function noFigure(name: string): number {
  throw new Error(`${name} is not measured when checkouts are compared`);
}

function splitName(figure: string): [string, string] {
  const dot = figure.lastIndexOf('.');
  return [figure.slice(0, dot), figure.slice(dot + 1)];
}

function figureOf(figures: Figures, name: string): number {
  const value = figures[name];
  if (value === undefined) throw new Error(`${name} was not measured`);
  return value;
}

/** The chance of exactly `k` heads in `n` throws of a fair coin. */
function binomial(n: number, k: number): number {
  let ways = 1;
  for (let i = 0; i < k; i++) ways = (ways * (n - i)) / (i + 1);
  return ways / 2 ** n;
}
