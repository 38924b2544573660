import { expect, test } from 'vitest';
import type { Benchmark, Turn } from './benchmark.ts';
import { renderReport } from './report.ts';
import { runBenchmark } from './run.ts';

const quiet = { root: '.', say: () => {} };

test('every round measures the floors, then the subjects; only what has a duration is warmed up, for half of it', async () => {
  const order: string[] = [];
  const turn = (name: string, durationMs: number): Turn => ({
    durationMs,
    async measure(ms) {
      order.push(`${name} ${ms}`);
      return { perSecond: order.length };
    },
  });
  const benchmark = declare(async () => ({
    floors: { floor: turn('floor', 10) },
    subjects: { subject: turn('subject', 20), cold: turn('cold', 0) },
    once: {
      async last() {
        order.push('last');
        return { ms: 1 };
      },
    },
  }));
  await runBenchmark(benchmark, { rounds: 2, ...quiet });
  const round = ['floor 10', 'subject 20', 'cold 0'];
  expect(order).toEqual(['floor 5', 'subject 10', ...round, ...round, 'last']);
});

test('a turn reads what turns before it have measured in its round, and bars are judged within each', async () => {
  let n = 0;
  const benchmark = declare(async () => ({
    floors: { floor: { durationMs: 0, measure: async () => ({ perSecond: ++n * 10 }) } },
    subjects: { subject: { durationMs: 0, measure: async (_, figure) => ({ perSecond: figure('floor.perSecond') / 2 }) } },
    once: { last: async () => ({ ms: 3 }) },
  }));
  benchmark.bars = [
    { name: 'ratio', figure: 'subject.perSecond', over: 'floor.perSecond', min: 0.4 },
    { name: 'last', figure: 'last.ms', max: 2 },
  ];
  const measured = await runBenchmark(benchmark, { rounds: 3, ...quiet });
  expect(measured.rounds[1]).toEqual({ 'floor.perSecond': 20, 'subject.perSecond': 10 });
  expect(measured.figures).toEqual({
    'floor.perSecond': { median: 20, min: 10, max: 30 },
    'subject.perSecond': { median: 10, min: 5, max: 15 },
    'last.ms': { median: 3, min: 3, max: 3 },
  });
  expect(measured.bars.map(({ held }) => held)).toEqual([true, false]);
  const report = renderReport(measured);
  expect(report).toMatch(/subject\.perSecond +10 +5 – 15/);
  expect(report).toMatch(/ratio +0\.5 +≥ 0\.4 {2}held/);
  expect(report).toMatch(/last +3 +≤ 2 {2}MISSED by 50 %/);
});

test('a bar of something that no turn measures is a mistake of the benchmark', async () => {
  const benchmark = declare(async () => ({ floors: {}, subjects: {}, once: { one: async () => ({ ms: 1 }) } }));
  benchmark.bars = [{ name: 'typo', figure: 'won.ms', max: 1 }];
  await expect(runBenchmark(benchmark, { rounds: 1, ...quiet })).rejects.toThrow('nobody has measured won.ms');
});

test('what was started is closed, last things first, also when measuring fails', async () => {
  const closed: string[] = [];
  const benchmark = declare(async (resources) => {
    resources.defer(() => void closed.push('first'));
    resources.defer(() => void closed.push('second'));
    return { floors: {}, subjects: {}, once: { broken: () => Promise.reject(new Error('broken')) } };
  });
  await expect(runBenchmark(benchmark, { rounds: 1, ...quiet })).rejects.toThrow('broken');
  expect(closed).toEqual(['second', 'first']);
});

function declare(prepare: Benchmark['prepare']): { -readonly [Field in keyof Benchmark]: Benchmark[Field] } {
  return { name: 'test', about: 'a test', needs: 'nothing', rounds: 1, bars: [], prepare };
}
