import { formatSen } from '@gerbang/core';
import type { Unresolved } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { Argument, type Command } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';
import { count, toIso, toRupiah } from '../values.ts';

/** transfers unresolved | resolve | cancel | refund */
export function transferCommands(program: Command): void {
  const transfers = program.command('transfers').description('transfers that operators have to decide or correct');
  transfers
    .command('unresolved')
    .description(
      'list those that wait for two operators: the outcome is unknown, or the rail has reported a payment after it had refused it; and refunds that the rail has not answered yet',
    )
    .option('--limit <count>', 'transfers to show', count, 100)
    .action((_, command: Command) => list(command.optsWithGlobals()));
  transfers
    .command('resolve')
    .description(
      "propose an outcome, or approve another operator's proposal by giving the same one; the other outcome of a transfer that has ended corrects it by a posting",
    )
    .argument('<merchant>', 'merchant id')
    .argument('<account>', 'account id')
    .argument('<reference>', 'reference number')
    .addArgument(new Argument('<outcome>', 'what has happened at the bank').choices(['succeeded', 'failed']))
    .action((merchantId: string, accountId: string, referenceNumber: string, outcome: string, _, command: Command) =>
      resolve(command.optsWithGlobals(), { merchantId, accountId, referenceNumber, outcome }),
    );
  for (const [outcome, description] of Object.entries(REQUESTS)) {
    transfers
      .command(outcome)
      .description(`${description}; two operators give the same command`)
      .argument('<merchant>', 'merchant id')
      .argument('<account>', 'account id')
      .argument('<reference>', 'reference number')
      .action((merchantId: string, accountId: string, referenceNumber: string, _, command: Command) =>
        resolve(command.optsWithGlobals(), { merchantId, accountId, referenceNumber, outcome }),
      );
  }
}

/** What the rail can be asked to do, where it can. */
const REQUESTS = {
  cancel: 'have the rail cancel a transfer whose outcome is unknown; its funds stay held until the rail has answered',
  refund: 'have the rail give back a transfer that has succeeded; the account is credited when the rail has done it',
};

function list(options: GlobalOptions & { limit: number }): Promise<void> {
  return withSession(options, async (session) => {
    const resolution = await session.moneyOutService();
    const { items } = await resolution.listUnresolved({ limit: options.limit });
    session.show(items.map(toJson), items.length === 0 ? ['nothing waits for a decision'] : items.map(toLine));
  });
}

type Decision = { merchantId: string; accountId: string; referenceNumber: string; outcome: string };

function resolve(options: GlobalOptions, decision: Decision): Promise<void> {
  return withSession(options, async (session) => {
    const resolution = await session.moneyOutService();
    const { decided } = await resolution.resolve(decision);
    const { referenceNumber, outcome } = decision;
    const isRequest = outcome in REQUESTS;
    const done = isRequest ? `the rail is asked to ${outcome} ${referenceNumber}` : `${referenceNumber} has ${outcome}`;
    const proposed = isRequest ? `proposed to ${outcome} ${referenceNumber}` : `proposed that ${referenceNumber} has ${outcome}`;
    session.show({ reference_number: referenceNumber, outcome, decided }, [
      decided ? done : `${proposed}; a second operator approves it by the same command`,
    ]);
  });
}

function toJson(item: Unresolved) {
  const { transfer, sinceMs, reason, proposedBy, proposedOutcome } = item;
  return {
    merchant_id: transfer?.merchantId ?? '',
    account_id: transfer?.accountId ?? '',
    reference_number: transfer?.referenceNumber ?? '',
    transaction_id: transfer?.transactionId ?? '',
    amount: formatSen(transfer?.amountSen ?? 0n),
    product: item.product,
    bank_code: transfer?.bankCode ?? '',
    since: toIso(sinceMs),
    reason,
    proposed_by: proposedBy,
    proposed_outcome: proposedOutcome,
  };
}

function toLine(item: Unresolved): string {
  const { transfer, sinceMs, reason, proposedBy, proposedOutcome } = item;
  const proposal = proposedBy === '' ? '' : `  ${proposedBy} proposes ${proposedOutcome}`;
  const where = `${transfer?.merchantId}  ${transfer?.accountId}  ${transfer?.referenceNumber}`;
  return `${where}  ${toRupiah(transfer?.amountSen ?? 0n)}  since ${toIso(sinceMs)}  ${reason}${proposal}`;
}
