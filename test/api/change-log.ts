import type { BreakingChange } from './oasdiff.ts';

/** A line of the change log: one kind of change in one or several operations. */
export type Listed = { id: string; operations: string[] };

const UNRELEASED = '## Unreleased';
const LINE = /^- \*\*Breaking\*\* `([a-z0-9-]+)` in ((?:`[^`]+`, )*`[^`]+`): \S/;

/**
 * The breaking changes that the change log's first section, "Unreleased", lists. Throws for a line that begins as one and does not
 * follow the format.
 */
export function listedChanges(markdown: string): Listed[] {
  const section = markdown.split(/^(?=## )/m).find((text) => text.startsWith(`${UNRELEASED}\n`)) ?? '';
  // A line may go on, indented, on the next.
  const lines = section.replaceAll(/\n {2,}(?=\S)/g, ' ').split('\n');
  return lines
    .filter((line) => line.startsWith('- **Breaking**'))
    .map((line) => {
      const [, id = '', operations = ''] = LINE.exec(line) ?? [];
      if (id === '') throw new Error(`docs/changes.md: not in the format of a breaking change: ${line}`);
      return { id, operations: operations.split(', ').map((name) => name.slice(1, -1)) };
    });
}

/** The changes that no line lists, and the lines' operations that no change answers to. */
export function compareWithLog(
  changes: readonly BreakingChange[],
  listed: readonly Listed[],
): { unlisted: BreakingChange[]; outdated: string[] } {
  const covered = new Set(listed.flatMap(({ id, operations }) => operations.map((operation) => key(id, operation))));
  const found = new Set(changes.map(({ id, operation }) => key(id, operation)));
  return {
    unlisted: changes.filter(({ id, operation }) => !covered.has(key(id, operation))),
    outdated: [...covered].filter((line) => !found.has(line)),
  };
}

function key(id: string, operation: string): string {
  return `\`${id}\` in \`${operation}\``;
}
