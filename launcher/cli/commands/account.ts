import type { Command } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';

/** account create | freeze | unfreeze */
export function accountCommands(program: Command): void {
  const account = program.command('account').description("merchants' accounts");
  account
    .command('create')
    .description('open one more account')
    .argument('<merchant>', 'merchant id')
    .argument('<name>', 'its name')
    .action((merchantId: string, name: string, _, command: Command) => create(command.optsWithGlobals(), merchantId, name));
  for (const verb of ['freeze', 'unfreeze'] as const) {
    account
      .command(verb)
      .description(verb === 'freeze' ? 'stop everything but reading' : 'end a freeze')
      .argument('<merchant>', 'merchant id')
      .argument('<account>', 'account id')
      .action((merchantId: string, accountId: string, _, command: Command) =>
        setFrozen(command.optsWithGlobals(), merchantId, accountId, verb),
      );
  }
}

function create(options: GlobalOptions, merchantId: string, name: string): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const { account } = await operators.createAccount({ merchantId, name });
    const accountId = account?.accountId ?? '';
    session.show({ account_id: accountId, name: account?.name ?? '' }, [`account ${accountId} is open`]);
  });
}

function setFrozen(options: GlobalOptions, merchantId: string, accountId: string, verb: 'freeze' | 'unfreeze'): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const frozen = verb === 'freeze';
    await operators.setFrozen({ merchantId, accountId, frozen });
    session.show({ account_id: accountId, frozen }, [`account ${accountId} is ${frozen ? 'frozen' : 'no longer frozen'}`]);
  });
}
