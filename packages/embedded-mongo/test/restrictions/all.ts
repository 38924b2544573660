import { allowedCommands, commands } from './commands.ts';
import { allowedExpressions, expressions } from './expressions.ts';
import { allowedIndexes, indexes } from './indexes.ts';
import { allowedQueries, filters, finds } from './queries.ts';
import { allowedStages, stages } from './stages.ts';
import type { Restriction } from './table.ts';
import { allowedUpdates, updates, upserts } from './updates.ts';

/** By the file of the table, as the README names it. */
export const refused: Readonly<Record<string, readonly Restriction[]>> = {
  updates: [...updates, ...upserts],
  queries: [...filters, ...finds],
  commands,
  indexes,
  stages,
  expressions,
};

/** What looks alike and works. */
export const allowed: Readonly<Record<string, readonly Restriction[]>> = {
  updates: allowedUpdates,
  queries: allowedQueries,
  commands: allowedCommands,
  indexes: allowedIndexes,
  stages: allowedStages,
  expressions: allowedExpressions,
};

/** Restrictions that one command does not show: what is refused, its code, the file and the name of the test. */
export const elsewhere: ReadonlyArray<readonly [title: string, code: number, file: string, test: string]> = [
  [
    'a query that no index serves, where notablescan is set',
    291,
    'indexes.test.ts',
    'with notablescan a query that no index serves is refused',
  ],
  [
    'a sort in memory of more than 100 MiB',
    292,
    'lifecycle.test.ts',
    'a sort without an index holds 100 MiB at most; one with a limit needs no more than its result',
  ],
  [
    'a command that takes longer than its maxTimeMS',
    50,
    'lifecycle.test.ts',
    'a command ends when its time is over, and changes nothing',
  ],
];
