import { expect, test } from 'vitest';
import { judge } from './report.ts';

test.each([
  { exitCode: 0, complete: true, cases: 2_000, passed: true },
  { exitCode: 1, complete: true, cases: 2_000, passed: false },
  { exitCode: 0, complete: true, cases: 1_999, passed: false },
  { exitCode: 0, complete: false, cases: 9_000, passed: false },
])('exit code $exitCode, complete $complete, $cases cases: passed $passed', ({ exitCode, complete, cases, passed }) => {
  expect(judge(exitCode, { complete, test_cases: { generated: cases } }, 2_000).passed).toBe(passed);
});
