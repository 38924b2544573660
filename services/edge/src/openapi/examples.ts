import { readFileSync } from 'node:fs';
import { z } from 'zod';

/**
 * What a sandbox has received and sent (test/api-examples/record.ts), by operationId: the body of a good request, its answer, and
 * errors by HTTP status. A webhook has its body, by the event's name.
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

/** The examples of an operation or a webhook; undefined where none is recorded. */
export function examplesOf(operationId: string): Examples[string] | undefined {
  examples ??= exampleFile.parse(JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')));
  return examples[operationId];
}
