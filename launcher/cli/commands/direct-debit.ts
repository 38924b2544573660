import { type Binding, BindingStatus, SupportService } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { Command } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';
import { toIso } from '../values.ts';
import { decisionCommands } from './direct-debit-decisions.ts';

/** direct-debit bindings, and what operators decide (direct-debit-decisions.ts) */
export function directDebitCommands(program: Command): void {
  const directDebit = program.command('direct-debit').description('bank accounts that customers have bound, and their charges');
  directDebit
    .command('bindings')
    .description("list a customer's bindings, newest first")
    .argument('<merchant>', 'merchant id')
    .requiredOption('--customer <id>', "the merchant's own id of the customer")
    .action((merchantId: string, _, command: Command) => listBindings(command.optsWithGlobals(), merchantId));
  decisionCommands(directDebit);
}

function listBindings(options: GlobalOptions & { customer: string }, merchantId: string): Promise<void> {
  return withSession(options, async (session) => {
    const support = await session.signedClient('direct-debit', SupportService);
    const { bindings } = await support.listCustomerBindings({ merchantId, customerId: options.customer });
    session.show(bindings.map(toJson), bindings.length === 0 ? ['the customer has no bindings'] : bindings.map(toLine));
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
