import { readFileSync } from 'node:fs';
import path from 'node:path';
import { compareWithLog, listedChanges } from './change-log.ts';
import { findBreakingChanges, hasGo } from './oasdiff.ts';

const DOCS = path.join(import.meta.dirname, '..', '..', 'docs');
const read = (name: string) => readFileSync(path.join(DOCS, name), 'utf8');

if (await hasGo()) process.exitCode = await checkBreaking();
else process.stdout.write('check:breaking: SKIPPED: Go is not on PATH (https://go.dev/dl)\n');

/** Names every breaking change since the last release; gives 1 where docs/changes.md and the changes differ. */
async function checkBreaking(): Promise<number> {
  const changes = await findBreakingChanges(read('openapi.released.json'), read('openapi.json'));
  const { unlisted, outdated } = compareWithLog(changes, listedChanges(read('changes.md')));
  for (const { id, operation, text } of changes) process.stdout.write(`breaking: \`${id}\` in \`${operation}\`: ${text}\n`);
  for (const { id, operation } of unlisted) process.stdout.write(`not in docs/changes.md: \`${id}\` in \`${operation}\`\n`);
  for (const line of outdated) process.stdout.write(`in docs/changes.md, but no such change: ${line}\n`);
  process.stdout.write(`check:breaking: ${changes.length} breaking changes, ${unlisted.length} of them not listed\n`);
  return unlisted.length + outdated.length === 0 ? 0 : 1;
}
