import { formatSen } from '@gerbang/core';
import {
  type Discrepancy,
  DiscrepancyDecision,
  DiscrepancyKind,
  SupportService,
  type Unresolved,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { Argument, type Command } from 'commander';
import { type GlobalOptions, type Session, withSession } from '../session.ts';
import { count, toIso, toRupiah } from '../values.ts';

/** What a decision is called, and what it has done. */
const DECISIONS = {
  credit: { decision: DiscrepancyDecision.CREDIT, done: 'is credited to its account' },
  refund: { decision: DiscrepancyDecision.REFUND, done: 'goes back to the customer at the bank' },
  withdraw: { decision: DiscrepancyDecision.WITHDRAW, done: 'is taken from its account' },
  bear: { decision: DiscrepancyDecision.BEAR, done: 'is borne by us: the account keeps the money' },
} as const;
type DecisionName = keyof typeof DECISIONS;

/** direct-debit unresolved | resolve | discrepancies | decide */
export function decisionCommands(directDebit: Command): void {
  directDebit
    .command('unresolved')
    .description('list charges and refunds whose outcome the bank has not told for a day')
    .option('--limit <count>', 'charges to show', count, 100)
    .action((_, command: Command) => listUnresolved(command.optsWithGlobals()));
  directDebit
    .command('resolve')
    .description("propose an outcome, or approve another operator's proposal by giving the same one")
    .argument('<merchant>', 'merchant id')
    .argument('<transaction>', 'transaction id')
    .addArgument(new Argument('<outcome>', 'what has happened at the bank').choices(['succeeded', 'failed']))
    .option('--refund <id>', 'of this refund of the transaction, not of its charge', '')
    .action((merchantId: string, transactionId: string, outcome: string, _, command: Command) =>
      resolve(command.optsWithGlobals(), { merchantId, transactionId, outcome }),
    );
  directDebit
    .command('discrepancies')
    .description('list charges and refunds whose outcome is another one at the bank, the oldest first')
    .option('--limit <count>', 'discrepancies to show', count, 100)
    .action((_, command: Command) => listDiscrepancies(command.optsWithGlobals()));
  directDebit
    .command('decide')
    .description('decide what the money of a discrepancy is; a second operator approves it')
    .argument('<id>', 'its id, as direct-debit discrepancies shows it')
    .addArgument(
      new Argument('<decision>', 'credit or refund a surplus, withdraw or bear a shortfall').choices(Object.keys(DECISIONS)),
    )
    .action((id: string, decision: DecisionName, _, command: Command) => decide(command.optsWithGlobals(), id, decision));
}

function clientOf(session: Session) {
  return session.signedClient('direct-debit', SupportService);
}

function listUnresolved(options: GlobalOptions & { limit: number }): Promise<void> {
  return withSession(options, async (session) => {
    const { items } = await (await clientOf(session)).listUnresolved({ limit: options.limit });
    session.show(items.map(toUnresolvedJson), items.length === 0 ? ['the bank owes no answer'] : items.map(toUnresolvedLine));
  });
}

type Wanted = { merchantId: string; transactionId: string; outcome: string };

function resolve(options: GlobalOptions & { refund: string }, wanted: Wanted): Promise<void> {
  return withSession(options, async (session) => {
    const request = { refundId: options.refund, ...wanted };
    const { decided } = await (await clientOf(session)).resolve(request);
    const { transactionId, outcome } = wanted;
    const what = options.refund === '' ? transactionId : `refund ${options.refund}`;
    session.show({ transaction_id: transactionId, refund_id: options.refund, outcome, decided }, [
      decided
        ? `${what} has ${outcome}`
        : `proposed that ${what} has ${outcome}; a second operator approves it by the same command`,
    ]);
  });
}

function listDiscrepancies(options: GlobalOptions & { limit: number }): Promise<void> {
  return withSession(options, async (session) => {
    const { items } = await (await clientOf(session)).listDiscrepancies({ limit: options.limit });
    session.show(items.map(toJson), items.length === 0 ? ['the bank and Gerbang agree'] : items.map(toLine));
  });
}

function decide(options: GlobalOptions, id: string, name: DecisionName): Promise<void> {
  return withSession(options, async (session) => {
    const { decision, done } = DECISIONS[name];
    const { netSen, feeSen } = await (await clientOf(session)).decideDiscrepancy({ id, decision });
    const sums = netSen + feeSen === 0n ? '' : `: ${toRupiah(netSen)} (fee ${toRupiah(feeSen)})`;
    session.show({ id, decision: name, net_amount: formatSen(netSen), fee: formatSen(feeSen) }, [`${id} ${done}${sums}`]);
  });
}

function toUnresolvedJson(item: Unresolved) {
  return {
    merchant_id: item.merchantId,
    transaction_id: item.transactionId,
    refund_id: item.refundId,
    reference_number: item.referenceNumber,
    amount: formatSen(item.amountSen),
    since: toIso(item.sinceMs),
    reason: item.reason,
    proposed_by: item.proposedBy,
    proposed_outcome: item.proposedOutcome,
  };
}

function toUnresolvedLine(item: Unresolved): string {
  const { merchantId, referenceNumber, proposedBy, proposedOutcome, reason } = item;
  const proposal = proposedBy === '' ? '' : `  ${proposedBy} proposes ${proposedOutcome}`;
  const since = `since ${toIso(item.sinceMs)}`;
  return `${merchantId}  ${subjectOf(item)}  ${referenceNumber}  ${toRupiah(item.amountSen)}  ${since}  ${reason}${proposal}`;
}

function toJson(item: Discrepancy) {
  return {
    id: item.id,
    kind: DiscrepancyKind[item.kind].toLowerCase(),
    merchant_id: item.merchantId,
    account_id: item.accountId,
    transaction_id: item.transactionId,
    refund_id: item.refundId,
    reference_number: item.referenceNumber,
    amount: formatSen(item.amountSen),
    since: toIso(item.sinceMs),
    refusals: item.refusals,
  };
}

/** For instance "<id>  surplus of IDR 100000.00  of <merchant> <account>  charge <id>  INV-1  since 2026-11-21T08:00:00.000Z". */
function toLine(item: Discrepancy): string {
  const { kind, merchant_id, account_id, reference_number, since } = toJson(item);
  const short = item.refusals === 0 ? '' : '  the balance was too short';
  const owner = `of ${merchant_id} ${account_id}`;
  return `${item.id}  ${kind} of ${toRupiah(item.amountSen)}  ${owner}  ${subjectOf(item)}  ${reference_number}  since ${since}${short}`;
}

function subjectOf({ refundId, transactionId }: { refundId: string; transactionId: string }): string {
  return refundId === '' ? `charge ${transactionId}` : `refund ${refundId} of ${transactionId}`;
}
