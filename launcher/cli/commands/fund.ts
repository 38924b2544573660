import { formatSen, newUlid, RefusalError } from '@gerbang/core';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, withSession } from '../session.ts';
import { rupiah, toRupiah } from '../values.ts';

type FundOptions = GlobalOptions & { rail: string; operation?: string };

/** fund */
export function fundCommand(program: Command): void {
  program
    .command('fund')
    .description('credit an account from a rail, once for each operation id')
    .argument('<merchant>', 'merchant id')
    .argument('<account>', 'account id')
    .argument('<amount>', 'rupiah, such as 150000 or 150000.50', rupiah)
    .option('--rail <name>', 'where the money has come in', 'bank-transfer')
    .option('--operation <id>', 'repeats an earlier funding without crediting twice; a new one unless given')
    .action((merchantId: string, accountId: string, amountSen: bigint, _, command: Command) =>
      fund(command.optsWithGlobals(), { merchantId, accountId, amountSen }),
    );
}

type Credit = { merchantId: string; accountId: string; amountSen: bigint };

function fund(options: FundOptions, credit: Credit): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const operationId = options.operation ?? newUlid(Date.now());
    const order = { ...credit, operationId, rail: options.rail };
    const { availableSen } = await operators.fund(order).catch((error: unknown) => {
      throw isOpen(error) ? unknownOutcome(operationId, error) : error;
    });
    session.show({ operation_id: operationId, amount: formatSen(credit.amountSen), available: formatSen(availableSen) }, [
      `credited ${toRupiah(credit.amountSen)}; ${toRupiah(availableSen)} available   (operation ${operationId})`,
    ]);
  });
}

/** Whether the credit may have been made although the call failed. */
function isOpen(error: unknown): boolean {
  return error instanceof RefusalError && ['unavailable', 'timeout', 'internal'].includes(error.refusal.refused);
}

function unknownOutcome(operationId: string, cause: unknown): CommandFailure {
  return new CommandFailure(`it is not known whether the account was credited; repeat it with --operation ${operationId}`, {
    cause,
  });
}
