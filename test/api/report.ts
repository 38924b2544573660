import { readFileSync } from 'node:fs';
import { z } from 'zod';

const report = z.object({ complete: z.boolean(), test_cases: z.object({ generated: z.int() }) });

/** What schemathesis says of its run in its JSON report. */
export type Report = z.output<typeof report>;

/** Throws where the file is no report. */
export function readReport(file: string): Report {
  return report.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** A run fails by what it has found (its exit code), and where it has tested too little to find anything. */
export function judge(exitCode: number, { complete, test_cases }: Report, casesMin: number): { passed: boolean; text: string } {
  const { generated: cases } = test_cases;
  if (!complete) return { passed: false, text: `cut off after ${cases} cases` };
  if (cases < casesMin) return { passed: false, text: `${cases} cases, fewer than ${casesMin}` };
  return { passed: exitCode === 0, text: `${cases} cases` };
}
