import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, withSession } from '../session.ts';
import { count, toIso } from '../values.ts';

const CHAIN_MS = 60_000;

/** audit list */
export function auditCommands(program: Command): void {
  program
    .command('audit')
    .description("the log of operators' commands")
    .command('list')
    .description('show the newest entries; fails when the chain of hashes is broken anywhere')
    .option('--limit <count>', 'entries to show', count, 20)
    .action((_, command: Command) => list(command.optsWithGlobals()));
}

function list(options: GlobalOptions & { limit: number }): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const { entries, chainIntact } = await operators.listAudit({ limit: options.limit }, { timeoutMs: CHAIN_MS });
    session.show(
      {
        chain_intact: chainIntact,
        entries: entries.map(({ seq, atMs, operator, command, target, before, after, hash }) => ({
          seq: String(seq),
          at: toIso(atMs),
          operator,
          command,
          target,
          before: JSON.parse(before),
          after: JSON.parse(after),
          hash,
        })),
      },
      entries.map((entry) =>
        [`${entry.seq}`, toIso(entry.atMs), entry.operator, entry.command, entry.target, `${entry.before} → ${entry.after}`].join(
          '  ',
        ),
      ),
    );
    if (!chainIntact) throw new CommandFailure('the chain of the audit log is broken: an entry was changed or removed');
  });
}
