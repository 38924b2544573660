import { type FigureOf, type Judged, judge } from './bars.ts';
import type { Benchmark, Figures, Plan, Turn } from './benchmark.ts';
import { type Spread, spreadOf } from './statistics.ts';

/** What a run has measured. */
export type Measured = {
  /** Per round: figures by their whole names, `<turn>.<figure>`. */
  rounds: Record<string, number>[];
  /** Every figure over the rounds, and those that were measured once. */
  figures: Record<string, Spread>;
  bars: Judged[];
};

/** `root`: the checkout that is measured. */
export type RunOptions = { rounds: number; root: string; say: (line: string) => void };

/**
 * Prepares, warms every turn up, measures floors and subjects by turns as often as there are rounds, then what is measured once,
 * and judges. Everything is closed when it returns or throws.
 */
export async function runBenchmark(benchmark: Benchmark, options: RunOptions): Promise<Measured> {
  await using resources = new AsyncDisposableStack();
  const interrupted = interruption(resources);
  const measured = measure(benchmark, resources, options);
  return await Promise.race([measured, interrupted]);
}

async function measure(benchmark: Benchmark, resources: AsyncDisposableStack, options: RunOptions): Promise<Measured> {
  const { rounds, root, say } = options;
  say('starts what it needs');
  const plan = await benchmark.prepare(resources, root);
  const turns = Object.entries({ ...plan.floors, ...plan.subjects });
  const warm = new Map<string, number>();
  for (const [name, turn] of turns.filter(([, { durationMs }]) => durationMs > 0)) {
    say(`warms up: ${name}`);
    await takeTurn(warm, name, turn, turn.durationMs / 2);
  }
  const measured: Map<string, number>[] = [];
  for (let round = 1; round <= rounds; round++) {
    const figures = new Map<string, number>();
    measured.push(figures);
    for (const [name, turn] of turns) {
      say(`round ${round} of ${rounds}: ${name}`);
      await takeTurn(figures, name, turn, turn.durationMs);
    }
  }
  const once = await measureOnce(plan, say);
  return {
    rounds: measured.map((figures) => Object.fromEntries(figures)),
    figures: { ...spreads(measured), ...spreads([once]) },
    bars: benchmark.bars.map((bar) => judge(bar, readers(measured, once))),
  };
}

async function measureOnce({ once = {} }: Plan, say: RunOptions['say']): Promise<Map<string, number>> {
  const figures = new Map<string, number>();
  for (const [name, work] of Object.entries(once)) {
    say(`once: ${name}`);
    add(figures, name, await work());
  }
  return figures;
}

async function takeTurn(figures: Map<string, number>, name: string, turn: Turn, durationMs: number): Promise<void> {
  add(figures, name, await turn.measure(durationMs, readerOf(figures)));
}

function add(figures: Map<string, number>, name: string, measured: Figures): void {
  for (const [figure, value] of Object.entries(measured)) figures.set(`${name}.${figure}`, value);
}

function readerOf(...sources: ReadonlyMap<string, number>[]): FigureOf {
  return (name) => {
    const value = sources.find((source) => source.has(name))?.get(name);
    if (value === undefined) throw new Error(`nobody has measured ${name}`);
    return value;
  };
}

/** One reader a round, each of which also knows what was measured once. */
function readers(rounds: readonly Map<string, number>[], once: Map<string, number>): FigureOf[] {
  return rounds.length === 0 ? [readerOf(once)] : rounds.map((figures) => readerOf(figures, once));
}

function spreads(rounds: readonly ReadonlyMap<string, number>[]): Record<string, Spread> {
  const names = [...new Set(rounds.flatMap((figures) => [...figures.keys()]))];
  return Object.fromEntries(names.map((name) => [name, spreadOf(rounds.flatMap((figures) => figures.get(name) ?? []))] as const));
}

/** Rejects on Ctrl-C and SIGTERM, so that what was started is closed. */
export function interruption(resources: AsyncDisposableStack): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const interrupt = () => reject(new Error('interrupted'));
      process.once(signal, interrupt);
      resources.defer(() => void process.off(signal, interrupt));
    }
  });
}
