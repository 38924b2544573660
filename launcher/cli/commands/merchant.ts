import { AccountStatus, MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { MerchantSummary } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { Command } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';

const PAGE = 500;

type CreateOptions = GlobalOptions & { name: string; product: string[]; ip: string[]; account: string[] };

/** merchant create | list | freeze | unfreeze */
export function merchantCommands(program: Command): void {
  const merchant = program.command('merchant').description('merchants');
  merchant
    .command('create')
    .description('create a merchant with its accounts and a first credential; the secret is shown this once')
    .requiredOption('--name <name>', 'its name')
    .option('--product <names...>', 'products that it has', [])
    .option('--ip <entries...>', 'addresses or CIDR ranges that it may call from', [])
    .option('--account <names...>', 'accounts to open; the first is the default one', ['Main'])
    .action((_, command: Command) => create(command.optsWithGlobals()));
  merchant
    .command('list')
    .description('list all merchants with their credentials and accounts')
    .action((_, command: Command) => list(command.optsWithGlobals()));
  for (const verb of ['freeze', 'unfreeze'] as const) {
    merchant
      .command(verb)
      .description(verb === 'freeze' ? 'stop everything but reading' : 'end a freeze')
      .argument('<merchant>', 'merchant id')
      .action((merchantId: string, _, command: Command) => setFrozen(command.optsWithGlobals(), merchantId, verb));
  }
}

function create(options: CreateOptions): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const made = await operators.createMerchant({
      name: options.name,
      products: options.product,
      ipWhitelist: options.ip,
      accountNames: options.account,
    });
    session.show(
      {
        merchant_id: made.merchantId,
        partner_id: made.partnerId,
        client_id: made.clientId,
        client_secret: made.clientSecret,
        account_ids: made.accountIds,
      },
      [
        `merchant       ${made.merchantId}`,
        `partner id     ${made.partnerId}`,
        `client id      ${made.clientId}`,
        `client secret  ${made.clientSecret}   (shown this once)`,
        ...made.accountIds.map((id, i) => `account        ${id}   ${options.account[i] ?? ''}`),
      ],
    );
  });
}

function list(options: GlobalOptions): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const merchants: MerchantSummary[] = [];
    let after = '';
    do {
      const page = await operators.listMerchants({ limit: PAGE, after });
      merchants.push(...page.merchants);
      after = page.nextAfter;
    } while (after !== '');
    session.show(
      merchants.map((merchant) => ({
        merchant_id: merchant.merchantId,
        name: merchant.name,
        partner_id: merchant.partnerId,
        status: statusOf(MerchantStatus, merchant.status),
        client_ids: merchant.clientIds,
        accounts: merchant.accounts.map((account) => ({
          account_id: account.accountId,
          name: account.name,
          status: statusOf(AccountStatus, account.status),
          is_default: account.isDefault,
        })),
      })),
      merchants.length === 0 ? ['no merchants yet'] : merchants.flatMap(toLines),
    );
  });
}

function setFrozen(options: GlobalOptions, merchantId: string, verb: 'freeze' | 'unfreeze'): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    await operators.setFrozen({ merchantId, frozen: verb === 'freeze' });
    const status = verb === 'freeze' ? 'frozen' : 'active';
    session.show({ merchant_id: merchantId, status }, [`merchant ${merchantId} is ${status}`]);
  });
}

function toLines(merchant: MerchantSummary): string[] {
  const status = statusOf(MerchantStatus, merchant.status);
  return [
    `${merchant.merchantId}  ${merchant.name}  ${status}  partner ${merchant.partnerId}`,
    ...merchant.clientIds.map((clientId) => `  client   ${clientId}`),
    ...merchant.accounts.map((account) => {
      const remarks = [statusOf(AccountStatus, account.status), ...(account.isDefault ? ['default'] : [])];
      return `  account  ${account.accountId}  ${account.name}  (${remarks.join(', ')})`;
    }),
  ];
}

function statusOf(names: Record<number, string>, status: number): string {
  return (names[status] ?? 'unknown').toLowerCase();
}
