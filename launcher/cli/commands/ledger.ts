import { formatSen, type Json } from '@gerbang/core';
import { type Unlinked, verifyLedger } from '@gerbang/neighbours';
import type { VerifiedBalance } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { type Command, InvalidArgumentError } from 'commander';
import { readJournalCheckpoints, sandboxLogs } from '../checkpoints.ts';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, withSession } from '../session.ts';
import { toRupiah } from '../values.ts';

/** ledger verify, ledger partitions */
export function ledgerCommands(program: Command): void {
  const ledger = program.command('ledger').description('the books');
  ledger
    .command('verify')
    .description('rebuild every balance and entry from the journal, follow its chain, and compare; fails on any difference')
    .option('--checkpoints <file...>', "logs of the ledger, to whose checkpoints it must agree; the sandbox's by default")
    .option('--no-checkpoints', 'compare with no checkpoints')
    .option('--accept-unlinked <run...>', 'batches of a version before the chain, such as p0:120-140', unlinkedRuns, [])
    .action((_, command: Command) => verify(command.optsWithGlobals()));
  ledger
    .command('partitions')
    .description('which instance owns which partition')
    .action((_, command: Command) => listPartitions(command.optsWithGlobals()));
}

type VerifyOptions = GlobalOptions & { checkpoints?: string[] | boolean; acceptUnlinked: string[] };

/** Differences are printed as they are found; for machines everything is one object at the end. */
function verify(options: VerifyOptions): Promise<void> {
  return withSession(options, async (session) => {
    const differences: string[] = [];
    const unlinked: string[] = [];
    const balances: Json[] = [];
    const checkpoints = await readJournalCheckpoints(logsOf(options));
    const tell = {
      difference(line: string) {
        if (options.json) differences.push(line);
        else process.stdout.write(`difference: ${line}\n`);
      },
      unlinked(run: Unlinked) {
        if (options.json) unlinked.push(nameOf(run));
        else process.stdout.write(`without a link of the chain, accepted: ${nameOf(run)}\n`);
      },
      balance(balance: VerifiedBalance) {
        if (!options.json) return;
        balances.push({
          merchant_id: balance.merchantId,
          account_id: balance.accountId,
          available: formatSen(balance.availableSen),
          held: formatSen(balance.heldSen),
          pending: formatSen(balance.pendingSen),
          reserve: formatSen(balance.reserveSen),
          owed: formatSen(balance.owedSen),
        });
      },
    };
    const isAccepted = (run: Unlinked) => options.acceptUnlinked.includes(nameOf(run));
    const { postings, accounts, sumSen, ...found } = await verifyLedger(await session.ledgerService(), tell, {
      checkpoints,
      isAccepted,
    });
    const agreed = found.checkpoints === 0n ? '' : `, ${found.checkpoints} checkpoints agree`;
    session.show(
      {
        postings: String(postings),
        sum: formatSen(sumSen),
        checkpoints: String(found.checkpoints),
        differences,
        unlinked,
        balances,
      },
      [`${postings} postings, ${accounts} accounts, sum of all accounts ${toRupiah(sumSen)}${agreed}`],
    );
    if (sumSen !== 0n) throw new CommandFailure('the ledger does not sum to zero');
    if (found.differences > 0) throw new CommandFailure(`the ledger has differences: ${found.differences}`);
  });
}

function logsOf({ checkpoints }: VerifyOptions): string[] {
  if (checkpoints === false) return [];
  return Array.isArray(checkpoints) ? checkpoints : sandboxLogs('ledger', process.env);
}

function unlinkedRuns(text: string, before: readonly string[]): string[] {
  if (!/^[a-z0-9-]+:\d+-\d+$/.test(text)) throw new InvalidArgumentError('Expected a partition and batches, such as p0:120-140.');
  return [...before, text];
}

function nameOf({ partition, firstSeq, lastSeq }: Unlinked): string {
  return `${partition}:${firstSeq}-${lastSeq}`;
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
