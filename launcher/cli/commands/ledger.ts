import { formatSen } from '@gerbang/core';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, withSession } from '../session.ts';
import { toRupiah } from '../values.ts';

const VERIFY_MS = 10 * 60_000;

/** ledger verify */
export function ledgerCommands(program: Command): void {
  program
    .command('ledger')
    .description('the books')
    .command('verify')
    .description('recompute every balance from the journal and compare; fails on any difference')
    .action((_, command: Command) => verify(command.optsWithGlobals()));
}

function verify(options: GlobalOptions): Promise<void> {
  return withSession(options, async (session) => {
    const ledger = await session.ledgerService();
    const { postings, sumSen, differences, balances } = await ledger.verify({}, { timeoutMs: VERIFY_MS });
    session.show(
      {
        postings: String(postings),
        sum: formatSen(sumSen),
        differences,
        balances: balances.map((balance) => ({
          merchant_id: balance.merchantId,
          account_id: balance.accountId,
          available: formatSen(balance.availableSen),
          held: formatSen(balance.heldSen),
          pending: formatSen(balance.pendingSen),
        })),
      },
      [
        `${postings} postings, ${balances.length} accounts, sum of all accounts ${toRupiah(sumSen)}`,
        ...differences.map((difference) => `difference: ${difference}`),
      ],
    );
    if (sumSen !== 0n) throw new CommandFailure('the ledger does not sum to zero');
    if (differences.length > 0) throw new CommandFailure(`the ledger has differences: ${differences.length}`);
  });
}
