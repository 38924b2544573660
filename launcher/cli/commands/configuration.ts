import { type Command, Option } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';
import { moment, percent, rupiahOrZero, toRupiah } from '../values.ts';

type FeeOptions = GlobalOptions & {
  channel: string;
  fixed: bigint;
  percent: number;
  min: bigint;
  max: bigint;
  vendorFixed: bigint;
  vendorPercent: number;
  from: bigint;
  until: bigint;
};

/** whitelist set · products set · fee set · limit set */
export function configurationCommands(program: Command): void {
  program
    .command('whitelist')
    .description('addresses that merchants may call from')
    .command('set')
    .description('replace the list of a merchant, or of one of its credentials')
    .argument('<merchant>', 'merchant id')
    .argument('[entries...]', 'addresses or CIDR ranges; none = nowhere')
    .option('--client <id>', "the credential's own list, beside the merchant's")
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
    .command('fee')
    .description('fee schedules')
    .command('set')
    .description('set a fee; it replaces the one of the same product, channel and time')
    .argument('<merchant>', 'merchant id')
    .argument('<product>', 'its name, for instance disbursement')
    .option('--channel <code>', "for instance a bank's national code; all channels unless given", '')
    .addOption(new Option('--fixed <rupiah>', 'part that does not depend on the amount').argParser(rupiahOrZero).default(0n, '0'))
    .option('--percent <percent>', 'part of the amount, for instance 0.7', percent, 0)
    .addOption(new Option('--min <rupiah>', 'at least').argParser(rupiahOrZero).default(0n, '0'))
    .addOption(new Option('--max <rupiah>', 'at most; 0 = no maximum').argParser(rupiahOrZero).default(0n, '0'))
    .addOption(
      new Option('--vendor-fixed <rupiah>', 'part for the bank or acquirer, likewise').argParser(rupiahOrZero).default(0n, '0'),
    )
    .option('--vendor-percent <percent>', 'and its percentage of the amount', percent, 0)
    .addOption(new Option('--from <time>', 'when it comes into effect; always unless given').argParser(moment).default(0n, '0'))
    .addOption(new Option('--until <time>', 'when it ends; never unless given').argParser(moment).default(0n, '0'))
    .action((merchantId: string, product: string, _, command: Command) => setFee(command.optsWithGlobals(), merchantId, product));
  program
    .command('limit')
    .description('bounds of one payment')
    .command('set')
    .description("set the bounds of a product's payments")
    .argument('<merchant>', 'merchant id')
    .argument('<product>', 'its name, for instance disbursement')
    .addOption(new Option('--min <rupiah>', 'at least').argParser(rupiahOrZero).default(0n, '0'))
    .addOption(new Option('--max <rupiah>', 'at most; 0 = no maximum').argParser(rupiahOrZero).default(0n, '0'))
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

function setFee(options: FeeOptions, merchantId: string, product: string): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const fee = {
      product,
      channel: options.channel,
      fixedSen: options.fixed,
      basisPoints: options.percent,
      minimumSen: options.min,
      maximumSen: options.max,
      vendorFixedSen: options.vendorFixed,
      vendorBasisPoints: options.vendorPercent,
      effectiveFromMs: options.from,
      effectiveUntilMs: options.until,
    };
    await operators.setFees({ operator: session.operator(), merchantId, fee });
    const channel = fee.channel === '' ? 'all channels' : `channel ${fee.channel}`;
    session.show({ merchant_id: merchantId, product, channel: fee.channel }, [
      `${product}, ${channel}: ${toRupiah(fee.fixedSen)} + ${fee.basisPoints / 100} %`,
      `of which the vendor gets ${toRupiah(fee.vendorFixedSen)} + ${fee.vendorBasisPoints / 100} %`,
    ]);
  });
}

function setLimit(options: GlobalOptions & { min: bigint; max: bigint }, merchantId: string, product: string): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const limit = { product, minimumSen: options.min, maximumSen: options.max };
    await operators.setLimits({ operator: session.operator(), merchantId, limit });
    const maximum = options.max === 0n ? 'no maximum' : toRupiah(options.max);
    session.show({ merchant_id: merchantId, product }, [`${product}: from ${toRupiah(options.min)}, ${maximum}`]);
  });
}
