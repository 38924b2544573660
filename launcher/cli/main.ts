import { RefusalError } from '@gerbang/core';
import { ConfigError } from '@gerbang/runtime';
import { Command } from 'commander';
import { accountCommands } from './commands/account.ts';
import { approvalCommands } from './commands/approvals.ts';
import { auditCommands } from './commands/audit.ts';
import { billerCommands } from './commands/biller.ts';
import { cardChargebackCommands } from './commands/card-chargebacks.ts';
import { cardCommands } from './commands/cards.ts';
import { configurationCommands } from './commands/configuration.ts';
import { credentialCommands } from './commands/credential.ts';
import { directDebitCommands } from './commands/direct-debit.ts';
import { eventCommands } from './commands/events.ts';
import { feeCommands } from './commands/fee.ts';
import { fundCommand } from './commands/fund.ts';
import { keyCommands } from './commands/keys.ts';
import { ledgerCommands } from './commands/ledger.ts';
import { limitCommands } from './commands/limit.ts';
import { loginCommands } from './commands/login.ts';
import { merchantCommands } from './commands/merchant.ts';
import { operatorCommands } from './commands/operators.ts';
import { reconcileCommands } from './commands/reconcile.ts';
import { redeliverCommand } from './commands/redeliver.ts';
import { reversalCommands } from './commands/reversals.ts';
import { signatureCommands } from './commands/signature.ts';
import { suspenseCommands } from './commands/suspense.ts';
import { transferCommands } from './commands/transfers.ts';
import { CommandFailure } from './failure.ts';

const program = new Command('gerbang')
  .description("Operators' commands on a running Gerbang")
  .option(
    '--operator <name>',
    'whose key or login signs the command; GERBANG_OPERATOR, else sari in a sandbox, else your user name',
  )
  .option('--json', 'print the result as JSON')
  .showHelpAfterError('(add --help for what there is)');

merchantCommands(program);
accountCommands(program);
credentialCommands(program);
configurationCommands(program);
feeCommands(program);
limitCommands(program);
fundCommand(program);
operatorCommands(program);
loginCommands(program);
approvalCommands(program);
auditCommands(program);
ledgerCommands(program);
transferCommands(program);
billerCommands(program);
directDebitCommands(program);
cardCommands(program);
suspenseCommands(program);
reversalCommands(program);
cardChargebackCommands(program);
reconcileCommands(program);
redeliverCommand(eventCommands(program));
keyCommands(program);
signatureCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  const lines = messageOf(error).split('\n');
  for (const line of lines) process.stderr.write(`gerbang: ${line}\n`);
  process.exitCode = 1;
}

function messageOf(error: unknown): string {
  if (error instanceof RefusalError) return error.refusal.message;
  if (error instanceof CommandFailure || error instanceof ConfigError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
