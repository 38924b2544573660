import type { Command } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';

/** whitelist set · products set */
export function configurationCommands(program: Command): void {
  program
    .command('whitelist')
    .description('addresses that merchants may call from')
    .command('set')
    .description('replace the list of a merchant, or of one of its credentials')
    .argument('<merchant>', 'merchant id')
    .argument('[entries...]', 'addresses or CIDR ranges; none = nowhere')
    .option('--client <id>', "the credential's own list, in addition to the merchant's")
    .action((merchantId: string, entries: string[], _, command: Command) =>
      setWhitelist(command.optsWithGlobals(), merchantId, entries),
    );
  program
    .command('products')
    .description('products that merchants have')
    .command('set')
    .description('replace the products of a merchant')
    .argument('<merchant>', 'merchant id')
    .argument('[products...]', 'names, for instance disbursement')
    .action((merchantId: string, products: string[], _, command: Command) =>
      setProducts(command.optsWithGlobals(), merchantId, products),
    );
}

function setWhitelist(options: GlobalOptions & { client?: string }, merchantId: string, entries: string[]): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const clientId = options.client ?? '';
    await operators.setWhitelist({ merchantId, clientId, entries });
    const whose = clientId === '' ? `merchant ${merchantId}` : `credential ${clientId}`;
    session.show({ merchant_id: merchantId, client_id: clientId === '' ? null : clientId, entries }, [
      `${whose} may call from ${entries.length === 0 ? 'nowhere' : entries.join(', ')}`,
    ]);
  });
}

function setProducts(options: GlobalOptions, merchantId: string, products: string[]): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    await operators.setProducts({ merchantId, products });
    session.show({ merchant_id: merchantId, products }, [
      `merchant ${merchantId} has ${products.length === 0 ? 'no product' : products.join(', ')}`,
    ]);
  });
}
