import { formatSen } from '@gerbang/core';
import { type SuspenseItem, SuspenseService } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Command } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';
import { count, toIso, toRupiah } from '../values.ts';

/** suspense list | credit | refund */
export function suspenseCommands(program: Command): void {
  const suspense = program.command('suspense').description('money that a rail has taken and that fits nothing');
  suspense
    .command('list')
    .description('list what waits for a decision, the oldest first')
    .option('--limit <count>', 'payments to show', count, 100)
    .action((_, command: Command) => list(command.optsWithGlobals()));
  suspense
    .command('credit')
    .description('credit an account with it, less the fee of the product; needs two operators')
    .argument('<payment>', 'its id, as suspense list shows it')
    .argument('<merchant>', 'merchant id')
    .argument('<account>', 'account id')
    .action((id: string, merchantId: string, accountId: string, _, command: Command) =>
      credit(command.optsWithGlobals(), { id, merchantId, accountId }),
    );
  suspense
    .command('refund')
    .description('write down that the rail gives it back to who has paid; needs two operators')
    .argument('<payment>', 'its id, as suspense list shows it')
    .action((id: string, _, command: Command) => refund(command.optsWithGlobals(), id));
}

function list(options: GlobalOptions & { limit: number }): Promise<void> {
  return withSession(options, async (session) => {
    const { items } = await (await session.signedClient('money-in', SuspenseService)).listSuspense({ limit: options.limit });
    session.show(items.map(toJson), items.length === 0 ? ['nothing is in suspense'] : items.map(toLine));
  });
}

function credit(options: GlobalOptions, target: { id: string; merchantId: string; accountId: string }): Promise<void> {
  return withSession(options, async (session) => {
    const moneyIn = await session.signedClient('money-in', SuspenseService);
    const { figures } = await moneyIn.creditSuspense(target);
    const [netSen, feeSen] = [figures?.netSen ?? 0n, figures?.feeSen ?? 0n];
    session.show({ id: target.id, outcome: 'credited', net_amount: formatSen(netSen), fee: formatSen(feeSen) }, [
      `${target.accountId} is credited with ${toRupiah(netSen)} (fee ${toRupiah(feeSen)}); it settles as any payment does`,
    ]);
  });
}

function refund(options: GlobalOptions, id: string): Promise<void> {
  return withSession(options, async (session) => {
    await (await session.signedClient('money-in', SuspenseService)).refundSuspense({ id });
    session.show({ id, outcome: 'refunded' }, [`${id} goes back to who has paid`]);
  });
}

function toJson(item: SuspenseItem) {
  return {
    id: item.id,
    rail: item.rail,
    rail_reference: item.railReference,
    paid_to: item.paidTo,
    amount: formatSen(item.amountSen),
    paid_at: toIso(item.paidAtMs),
    reason: item.reason,
    merchant_id: item.merchantId,
    account_id: item.accountId,
  };
}

/**
 * For instance "va:bank:123  IDR 50000.00  paid to 7001412345678901 at 2026-11-21T08:00:00.000Z  expired  of <merchant>
 * <account>".
 */
function toLine({ id, amountSen, paidTo, paidAtMs, reason, merchantId, accountId }: SuspenseItem): string {
  const owner = merchantId === '' ? 'of no merchant' : `of ${merchantId} ${accountId}`;
  return `${id}  ${toRupiah(amountSen)}  paid to ${paidTo} at ${toIso(paidAtMs)}  ${reason}  ${owner}`;
}
