import { basename } from 'node:path';
import type { UnifiedFile, UnifiedTest } from './file.ts';

const nullId = 'the Node driver replaces a null _id before it sends the document';
const sendsNoFalse = 'the Node driver does not send bypassDocumentValidation: false';
const filterForm = 'the Node driver asks for the file with {_id: {$eq: …}}';

/** Tests that the Node driver does not pass against any server: file name, start of the description, why. */
const driverDiffers: [RegExp, RegExp, string][] = [
  [/^create-null-ids/, /^inserting _id with type null via (insert|bulkWrite|clientBulkWrite)/, nullId],
  [/^bypassDocumentValidation/, /passes bypassDocumentValidation: false$/, sendsNoFalse],
  [/^gridfs-download(-serverErrors)?\.json$/, /^Download /, filterForm],
  [/^download\.json$/, /^download when final chunk is missing$/, 'the Node driver does not miss a last chunk'],
];

/** Why a test fails with the Node driver whatever the server is; undefined if it doesn't. */
export function driverDifference(path: string, file: UnifiedFile, test: UnifiedTest): string | undefined {
  if (/"timeout(MS|Mode)":/.test(JSON.stringify([file.createEntities, test.operations])))
    return 'timeoutMS has no effect in version 7 of the Node driver';
  return driverDiffers.find(([name, start]) => name.test(basename(path)) && start.test(test.description))?.[2];
}

/** What the embedded server refuses, as the package's README says; on a server that has it no such answer comes. */
const refusals = [
  /^(collation|returnKey|min and max) (is|are) not supported by this server/,
  /^create with (capped|viewOn|validator|timeseries|clusteredIndex|changeStreamPreAndPostImages) is not supported by this server/,
  /^readConcern snapshot is not supported by this server/,
  /^no such command: 'collMod'/,
];

/** What the server said it lacks, undefined if an error says something else. */
export function refusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return refusals.some((one) => one.test(error.message)) ? `the server refuses: ${error.message}` : undefined;
}
