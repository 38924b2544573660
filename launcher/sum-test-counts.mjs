// Prints one line that adds up what vitest has counted, for .ci/run:
//
//     node launcher/sum-test-counts.mjs <folder> <run>…
//
// Each run has left `<run>.json` in the folder, in the format of vitest's json reporter (launcher/test-counts.ts). Exit code 1, with
// the reason, where a run has left no counts, has run no test, or has failed tests: those are named with the first lines of why.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';

const [folder = '', ...runs] = process.argv.slice(2);
const sum = { passed: 0, failed: 0, skipped: 0 };
const problems = runs.length === 0 ? ['no runs were named'] : [];

for (const run of runs) {
  try {
    const { passed, failed, skipped, failures } = readRun(path.join(folder, `${run}.json`));
    if (passed + failed === 0) problems.push(`${run} has run no test`);
    problems.push(...failures);
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  } catch (error) {
    problems.push(`${run} has left no counts: ${error.message}`);
  }
}

for (const problem of problems) process.stderr.write(`${problem}\n`);
const skipped = sum.skipped === 0 ? '' : `, ${sum.skipped} skipped`;
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
if (problems.length > 0 || sum.failed > 0) process.exitCode = 1;

/** Tests that were marked as to do count as skipped. */
function readRun(file) {
  const report = JSON.parse(fs.readFileSync(file, 'utf8'));
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults = [] } = report;
  const counts = { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
  if (!Object.values(counts).every(Number.isSafeInteger)) throw new Error(`${file} has no counts`);
  return { ...counts, failures: testResults.flatMap(failuresOf) };
}

/** A file can fail without a failed test, such as when it doesn't load. */
function failuresOf({ name, status, message, assertionResults }) {
  const at = path.relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${at}: ${firstLines(message)}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${at}: ${fullName}: ${firstLines(failureMessages.join('\n'))}`);
}

function firstLines(message) {
  const LINES_MAX = 6;
  return message.split('\n').slice(0, LINES_MAX).join('\n  ');
}
