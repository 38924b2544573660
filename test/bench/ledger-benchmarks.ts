import type { Benchmark } from './harness/benchmark.ts';
import { numbersIn } from './harness/statistics.ts';
import { benchLedger, openPostings } from './ledger.ts';
import { benchCsv } from './ledger-csv.ts';
import { benchTakeover } from './ledger-takeover.ts';

/** What issue 5 asks of the ledger. */
export const ledger = single(
  {
    name: 'ledger',
    about: 'durable postings a second beside pgbench: accepted, sustained, over hot accounts, and a lone client',
    needs: 'PostgreSQL for its peer; BENCH_SECONDS for each load (60), some ten minutes in all',
    bars: [
      { name: 'accepted to pgbench', figure: 'run.figures.acceptedToPgbench', min: 4 },
      { name: 'sustained to pgbench', figure: 'run.figures.sustainedToPgbench', min: 1.5 },
      { name: 'projections behind at most, s', figure: 'run.figures.sustainedBehindMaxSeconds', max: 5 },
      { name: 'one hot account to evenly', figure: 'run.figures.hotToUniform', min: 0.9 },
      { name: 'lone posting to its parts', figure: 'run.figures.loneToParts', max: 1.2 },
      { name: 'takeover, ms', figure: 'run.takeover.takeoverMs', max: 3_000 },
    ],
  },
  benchLedger,
);

/** Postings by turns, which is how two checkouts are compared. */
export const ledgerPosting: Benchmark = {
  name: 'ledger-posting',
  about: 'durable postings a second, accepted, in turns of five seconds: made for --against',
  needs: 'a minute',
  rounds: 5,
  bars: [],
  compared: ['posts.perSecond'],
  prepare: async (resources, root) => ({ floors: {}, subjects: { posts: await openPostings(resources, root) } }),
};

export const ledgerTakeover = single(
  {
    name: 'ledger-takeover',
    about: 'a partition with a million postings is taken over at full load, and the ledger’s memory while its history grows',
    needs: 'BENCH_POSTINGS (1,000,000), some five minutes',
    bars: [{ name: 'takeover, ms', figure: 'run.takeoverMs', max: 3_000 }],
  },
  benchTakeover,
);

/** What a stream of any length may add to a process at rest: pages on their way, and garbage not yet collected. */
const GROWTH_MAX_MIB = 200;

export const ledgerCsv = single(
  {
    name: 'ledger-csv',
    about: 'a statement of a million entries as CSV through the edge: rows a second, and memory meanwhile',
    needs: 'nats-server; BENCH_ROWS (1,000,000), some four minutes',
    bars: [
      { name: 'edge grows by, MiB', figure: 'run.peakMiB.edge', less: 'run.restMiB.edge', max: GROWTH_MAX_MIB },
      { name: 'ledger grows by, MiB', figure: 'run.peakMiB.ledger', less: 'run.restMiB.ledger', max: GROWTH_MAX_MIB },
    ],
  },
  benchCsv,
);

/** A benchmark that measures by turns within itself, each of its loads lasting long: all its numbers are one turn's. */
function single(about: Omit<Benchmark, 'rounds' | 'prepare'>, measure: () => Promise<object>): Benchmark {
  return {
    ...about,
    rounds: 0,
    prepare: async () => ({ floors: {}, subjects: {}, once: { run: async () => numbersIn(await measure()) } }),
  };
}
