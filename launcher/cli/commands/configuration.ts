import { type Command, Option } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';
import { rupiahOrZero, toRupiah } from '../values.ts';

/** whitelist set · products set · limit set */
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
  program
    .command('limit')
    .description('bounds of payments')
    .command('set')
    .description("replace the bounds of a product's payments; an option that is not given is no bound")
    .argument('<merchant>', 'merchant id')
    .argument('<product>', 'its name, for instance disbursement')
    .addOption(new Option('--min <rupiah>', 'at least').argParser(rupiahOrZero).default(0n, '0'))
    .addOption(new Option('--max <rupiah>', 'at most; 0 = no maximum').argParser(rupiahOrZero).default(0n, '0'))
    .addOption(
      new Option('--daily <rupiah>', 'at most within a day in Jakarta, money out only; 0 = no maximum')
        .argParser(rupiahOrZero)
        .default(0n, '0'),
    )
    .addOption(
      new Option('--monthly <rupiah>', 'at most within a month in Jakarta, money out only; 0 = no maximum')
        .argParser(rupiahOrZero)
        .default(0n, '0'),
    )
    .action((merchantId: string, product: string, _, command: Command) =>
      setLimit(command.optsWithGlobals(), merchantId, product),
    );
}

function setWhitelist(options: GlobalOptions & { client?: string }, merchantId: string, entries: string[]): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const clientId = options.client ?? '';
    await operators.setWhitelist({ operator: session.operator(), merchantId, clientId, entries });
    const whose = clientId === '' ? `merchant ${merchantId}` : `credential ${clientId}`;
    session.show({ merchant_id: merchantId, client_id: clientId === '' ? null : clientId, entries }, [
      `${whose} may call from ${entries.length === 0 ? 'nowhere' : entries.join(', ')}`,
    ]);
  });
}

function setProducts(options: GlobalOptions, merchantId: string, products: string[]): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    await operators.setProducts({ operator: session.operator(), merchantId, products });
    session.show({ merchant_id: merchantId, products }, [
      `merchant ${merchantId} has ${products.length === 0 ? 'no product' : products.join(', ')}`,
    ]);
  });
}

type LimitOptions = GlobalOptions & { min: bigint; max: bigint; daily: bigint; monthly: bigint };

function setLimit(options: LimitOptions, merchantId: string, product: string): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const { min: minimumSen, max: maximumSen, daily: dailyMaximumSen, monthly: monthlyMaximumSen } = options;
    const limit = { product, minimumSen, maximumSen, dailyMaximumSen, monthlyMaximumSen };
    await operators.setLimits({ operator: session.operator(), merchantId, limit });
    const upTo = (sen: bigint, of: string) => (sen === 0n ? `no maximum of ${of}` : `at most ${toRupiah(sen)} ${of}`);
    session.show({ merchant_id: merchantId, product }, [
      `${product}: from ${toRupiah(minimumSen)}, ${upTo(maximumSen, 'a payment')}, ${upTo(dailyMaximumSen, 'a day')}, ${upTo(monthlyMaximumSen, 'a month')}`,
    ]);
  });
}
