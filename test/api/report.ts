import { readFileSync } from 'node:fs';
import { z } from 'zod';

const report = z.object({ complete: z.boolean(), test_cases: z.object({ generated: z.int() }) });

/** What schemathesis says of its run in its JSON report. */
export type Report = z.output<typeof report>;

/** Throws where the file is no report. */
export function readReport(file: string): Report {
  return report.parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** The cases that were sent; none where the run was cut off. */
export function casesOf({ complete, test_cases }: Report): number {
  return complete ? test_cases.generated : 0;
}
