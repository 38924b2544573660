import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { benchmarks } from './benchmarks.ts';
import type { Benchmark } from './harness/benchmark.ts';
import { compareCheckouts, renderPairs } from './harness/pairs.ts';
import { startProfiling } from './harness/profile.ts';
import { renderReport } from './harness/report.ts';
import { runBenchmark } from './harness/run.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/**
 * Two checkouts are compared in so many pairs, and the interval of a ratio has to reach so much unless --reach says otherwise.
 */
const PAIRS = 11;
const REACH = 0.97;
/**
 * Where runs are kept, one JSON file each; with --prof a folder of profiles and flame graphs beside it. Not in version control.
 */
const RESULTS = path.join(import.meta.dirname, 'results');

const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    prof: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    against: { type: 'string' },
    reach: { type: 'string', default: String(REACH) },
  },
});
const [name] = positionals;
const benchmark = benchmarks.find((one) => one.name === name);
if (name === undefined) process.stdout.write(list());
else if (benchmark === undefined) {
  process.stderr.write(`there is no benchmark ${name}\n\n${list()}`);
  process.exit(1);
} else process.exit(values.against === undefined ? await run(benchmark) : await compare(benchmark, values.against));

/** Runs, prints, keeps the figures, and answers the exit code: with --check 1 where a bar is not held. */
async function run(benchmark: Benchmark): Promise<number> {
  const startedAt = new Date();
  const say = (line: string) => process.stderr.write(`${benchmark.name}: ${line}\n`);
  const kept = path.join(RESULTS, `${benchmark.name}-${startedAt.toISOString().replaceAll(':', '-')}`);
  const rounds = roundsOr(benchmark.rounds);
  const profiling = values.prof ? await startProfiling(kept) : undefined;
  const measured = await runBenchmark(benchmark, { rounds, root: ROOT, say });
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, load generator included`;
  const result = { benchmark: benchmark.name, startedAt, node: process.version, machine, profiled: values.prof, ...measured };
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${kept}.json`, `${JSON.stringify(result, undefined, 2)}\n`);
  process.stdout.write(`\n${benchmark.name} on ${machine}\n\n${renderReport(measured)}\n${kept}.json\n`);
  for (const file of (await profiling?.finish()) ?? []) process.stdout.write(`${file}\n`);
  return values.check && measured.bars.some(({ held }) => !held) ? 1 : 0;
}

/**
 * Measures this checkout and another one, which has its dependencies, by turns; answers 1 with --check where the interval of a
 * ratio does not reach the bar.
 */
async function compare(benchmark: Benchmark, against: string): Promise<number> {
  const say = (line: string) => process.stderr.write(`${benchmark.name}: ${line}\n`);
  const [ourRoot, theirRoot] = [ROOT, path.resolve(against)];
  const compared = await compareCheckouts(benchmark, { ourRoot, theirRoot, pairs: roundsOr(PAIRS), say });
  process.stdout.write(`\n${renderPairs(compared, Number(values.reach))}`);
  return values.check && compared.some(({ high }) => high < Number(values.reach)) ? 1 : 0;
}

function roundsOr(standard: number): number {
  const rounds = values.rounds === undefined ? standard : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 0) throw new Error('--rounds takes a number');
  return rounds;
}

function list(): string {
  const lines = benchmarks.map((one) => `  ${one.name}\n      ${one.about}\n      needs ${one.needs}\n`);
  return `npm run bench -- <name> [--check] [--prof] [--rounds <n>] [--against <folder of another checkout> [--reach <ratio>]]\n\n${lines.join('')}`;
}
