import path from 'node:path';
import process from 'node:process';

/**
 * What makes vitest write its counts to `<run>.json` in the folder that GERBANG_TEST_COUNTS names, besides its `usual` reporter.
 * No options where no folder is named. .ci/run adds the files up with launcher/sum-test-counts.mjs.
 */
export function countingOptions(run: string, usual: string): string[] {
  const folder = process.env.GERBANG_TEST_COUNTS;
  if (folder === undefined || folder === '') return [];
  return [`--reporter=${usual}`, '--reporter=json', `--outputFile.json=${path.join(folder, `${run}.json`)}`];
}
