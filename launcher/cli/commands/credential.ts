import type { Command } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';

/** credential add | rotate | disable */
export function credentialCommands(program: Command): void {
  const credential = program.command('credential').description("merchants' client ids and secrets");
  credential
    .command('add')
    .description('add a credential; its secret is shown this once and signs webhooks from now on')
    .argument('<merchant>', 'merchant id')
    .action((merchantId: string, _, command: Command) => add(command.optsWithGlobals(), merchantId));
  credential
    .command('rotate')
    .description('give a credential a new secret, shown this once; the old one and its tokens end within 5 s')
    .argument('<merchant>', 'merchant id')
    .argument('<client>', 'client id')
    .action((merchantId: string, clientId: string, _, command: Command) =>
      rotate(command.optsWithGlobals(), merchantId, clientId),
    );
  credential
    .command('disable')
    .description('end a credential for good; its tokens end within 5 s')
    .argument('<merchant>', 'merchant id')
    .argument('<client>', 'client id')
    .action((merchantId: string, clientId: string, _, command: Command) =>
      disable(command.optsWithGlobals(), merchantId, clientId),
    );
}

function add(options: GlobalOptions, merchantId: string): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const { clientId, clientSecret } = await operators.addCredential({ merchantId });
    session.show({ client_id: clientId, client_secret: clientSecret }, [
      `client id      ${clientId}`,
      `client secret  ${clientSecret}   (shown this once)`,
    ]);
  });
}

function rotate(options: GlobalOptions, merchantId: string, clientId: string): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const { clientSecret } = await operators.rotateSecret({ merchantId, clientId });
    session.show({ client_id: clientId, client_secret: clientSecret }, [`client secret  ${clientSecret}   (shown this once)`]);
  });
}

function disable(options: GlobalOptions, merchantId: string, clientId: string): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    await operators.disableCredential({ merchantId, clientId });
    session.show({ client_id: clientId, active: false }, [`credential ${clientId} is disabled`]);
  });
}
