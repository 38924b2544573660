import { formatSen } from '@gerbang/core';
import { type OpenReversal, ReversalDecision, ReversalService } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { Argument, type Command } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';
import { count, toIso, toRupiah } from '../values.ts';

const DECISIONS = {
  withdraw: ReversalDecision.WITHDRAW,
  bear: ReversalDecision.BEAR,
  dismiss: ReversalDecision.DISMISS,
} as const;

type Decision = keyof typeof DECISIONS;

const OUTCOMES: Readonly<Record<Decision, string>> = {
  withdraw: 'the payment is taken from the account',
  bear: 'the account keeps the money; the rail is paid from suspense',
  dismiss: 'the payment stands',
};

/** reversals list | decide */
export function reversalCommands(program: Command): void {
  const reversals = program
    .command('reversals')
    .description('payments that a rail has taken back, where the account could not give the money');
  reversals
    .command('list')
    .description('list what waits for a decision, the oldest first')
    .option('--limit <count>', 'payments to show', count, 100)
    .action((_, command: Command) => list(command.optsWithGlobals()));
  reversals
    .command('decide')
    .description('take the payment from the account now, bear it, or dismiss what the rail has said; needs two operators')
    .argument('<payment>', 'its id, as reversals list shows it')
    .addArgument(new Argument('<decision>').choices(Object.keys(DECISIONS)))
    .action((id: string, decision: Decision, _, command: Command) => decide(command.optsWithGlobals(), id, decision));
}

function list(options: GlobalOptions & { limit: number }): Promise<void> {
  return withSession(options, async (session) => {
    const { items } = await (await session.signedClient('money-in', ReversalService)).listReversals({ limit: options.limit });
    session.show(items.map(toJson), items.length === 0 ? ['no reversal waits for a decision'] : items.map(toLine));
  });
}

function decide(options: GlobalOptions, id: string, decision: Decision): Promise<void> {
  return withSession(options, async (session) => {
    const moneyIn = await session.signedClient('money-in', ReversalService);
    await moneyIn.decideReversal({ id, decision: DECISIONS[decision] });
    session.show({ id, decision }, [`${id}: ${OUTCOMES[decision]}`]);
  });
}

function toJson(item: OpenReversal) {
  return {
    id: item.id,
    rail: item.rail,
    rail_reference: item.railReference,
    amount: formatSen(item.amountSen),
    net_amount: formatSen(item.netSen),
    problem: item.problem,
    merchant_id: item.merchantId,
    account_id: item.accountId,
    reported_at: toIso(item.reportedAtMs),
  };
}

/**
 * For instance "qris:acquirer:123  IDR 50000.00  reversed at 2026-11-21T08:00:00.000Z  short-balance  of <merchant> <account>".
 */
function toLine({ id, amountSen, reportedAtMs, problem, merchantId, accountId }: OpenReversal): string {
  return `${id}  ${toRupiah(amountSen)}  reversed at ${toIso(reportedAtMs)}  ${problem}  of ${merchantId} ${accountId}`;
}
