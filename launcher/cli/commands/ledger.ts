import { formatSen, type Json } from '@gerbang/core';
import { verifyLedger } from '@gerbang/neighbours';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, withSession } from '../session.ts';
import { toRupiah } from '../values.ts';

/** ledger verify, ledger partitions */
export function ledgerCommands(program: Command): void {
  const ledger = program.command('ledger').description('the books');
  ledger
    .command('verify')
    .description('rebuild every balance and entry from the journal and compare; fails on any difference')
    .action((_, command: Command) => verify(command.optsWithGlobals()));
  ledger
    .command('partitions')
    .description('which instance owns which partition')
    .action((_, command: Command) => listPartitions(command.optsWithGlobals()));
}

/** Differences are printed as they are found; for machines everything is one object at the end. */
function verify(options: GlobalOptions): Promise<void> {
  return withSession(options, async (session) => {
    const differences: string[] = [];
    const balances: Json[] = [];
    const { postings, accounts, sumSen, ...found } = await verifyLedger(await session.ledgerService(), {
      difference(line) {
        if (options.json) differences.push(line);
        else process.stdout.write(`difference: ${line}\n`);
      },
      balance(balance) {
        if (!options.json) return;
        balances.push({
          merchant_id: balance.merchantId,
          account_id: balance.accountId,
          available: formatSen(balance.availableSen),
          held: formatSen(balance.heldSen),
          pending: formatSen(balance.pendingSen),
        });
      },
    });
    session.show({ postings: String(postings), sum: formatSen(sumSen), differences, balances }, [
      `${postings} postings, ${accounts} accounts, sum of all accounts ${toRupiah(sumSen)}`,
    ]);
    if (sumSen !== 0n) throw new CommandFailure('the ledger does not sum to zero');
    if (found.differences > 0) throw new CommandFailure(`the ledger has differences: ${found.differences}`);
  });
}

function listPartitions(options: GlobalOptions): Promise<void> {
  return withSession(options, async (session) => {
    const { routing } = await session.ledgerService();
    const { partitions, instances } = await routing.listPartitions({});
    const addresses = new Map(instances.map(({ id, address }) => [id, address]));
    const rows = partitions.map(({ name, owner, epoch }) => ({
      partition: name,
      owner,
      address: addresses.get(owner) ?? null,
      epoch: String(epoch),
    }));
    session.show(
      rows,
      rows.map(({ partition, owner, address, epoch }) => `${partition}  ${owner}  ${address ?? 'gone'}  epoch ${epoch}`),
    );
  });
}
