import { readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * What a test run has sent and received (test/e2e/api-examples.test.ts), by operationId: the body of a good request, its answer,
 * and errors by HTTP status.
 */
const exampleFile = z.record(
  z.string(),
  z.object({
    request: z.json().optional(),
    answer: z.json().optional(),
    errors: z.record(z.string(), z.json()).optional(),
  }),
);

type Examples = z.output<typeof exampleFile>;

let examples: Examples | undefined;

/** The examples of an operation; undefined where the run has none. */
export function examplesOf(operationId: string): Examples[string] | undefined {
  examples ??= exampleFile.parse(JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')));
  return examples[operationId];
}
