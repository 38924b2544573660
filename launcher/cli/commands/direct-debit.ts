import { formatSen } from '@gerbang/core';
import {
  type Binding,
  BindingStatus,
  SupportService,
  type Unresolved,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { Command } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';
import { count, toIso, toRupiah } from '../values.ts';

/** direct-debit bindings | unresolved */
export function directDebitCommands(program: Command): void {
  const directDebit = program.command('direct-debit').description('bank accounts that customers have bound, and their charges');
  directDebit
    .command('bindings')
    .description("list a customer's bindings, newest first")
    .argument('<merchant>', 'merchant id')
    .requiredOption('--customer <id>', "the merchant's own id of the customer")
    .action((merchantId: string, _, command: Command) => listBindings(command.optsWithGlobals(), merchantId));
  directDebit
    .command('unresolved')
    .description('list charges and refunds whose outcome the bank has not told for a day')
    .option('--limit <count>', 'charges to show', count, 100)
    .action((_, command: Command) => listUnresolved(command.optsWithGlobals()));
}

function listBindings(options: GlobalOptions & { customer: string }, merchantId: string): Promise<void> {
  return withSession(options, async (session) => {
    const support = await session.client('direct-debit', SupportService);
    const { bindings } = await support.listCustomerBindings({ merchantId, customerId: options.customer });
    session.show(bindings.map(toJson), bindings.length === 0 ? ['the customer has no bindings'] : bindings.map(toLine));
  });
}

function listUnresolved(options: GlobalOptions & { limit: number }): Promise<void> {
  return withSession(options, async (session) => {
    const support = await session.client('direct-debit', SupportService);
    const { items } = await support.listUnresolved({ limit: options.limit });
    session.show(items.map(toUnresolvedJson), items.length === 0 ? ['the bank owes no answer'] : items.map(toUnresolvedLine));
  });
}

function toJson(binding: Binding) {
  return {
    binding_id: binding.bindingId,
    account_id: binding.accountId,
    bank_code: binding.bankCode,
    status: BindingStatus[binding.status],
    failed_reason: binding.failedReason,
    unbound_by: binding.unboundBy,
    bank_account_end: binding.bankAccountEnd,
    created_at: toIso(binding.createdAtMs),
    bound_at: binding.boundAtMs === undefined ? null : toIso(binding.boundAtMs),
    unbound_at: binding.unboundAtMs === undefined ? null : toIso(binding.unboundAtMs),
  };
}

function toLine(binding: Binding): string {
  const reason = binding.failedReason || binding.unboundBy;
  const account = binding.bankAccountEnd === '' ? '' : `  account …${binding.bankAccountEnd}`;
  const status = `${BindingStatus[binding.status]}${reason === '' ? '' : ` (${reason})`}`;
  return `${binding.bindingId}  ${binding.bankCode}  ${status}${account}  since ${toIso(binding.createdAtMs)}`;
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
  };
}

function toUnresolvedLine(item: Unresolved): string {
  const what = item.refundId === '' ? 'charge' : `refund ${item.refundId} of`;
  const amount = toRupiah(item.amountSen);
  return `${item.merchantId}  ${what} ${item.transactionId}  ${item.referenceNumber}  ${amount}  since ${toIso(item.sinceMs)}  ${item.reason}`;
}
