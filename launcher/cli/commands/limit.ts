import { formatSen } from '@gerbang/core';
import { LimitService, type LimitUse } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { type Command, Option } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';
import { rupiahOrZero, toRupiah } from '../values.ts';

/** limit set | list */
export function limitCommands(program: Command): void {
  const limit = program.command('limit').description('bounds of payments');
  limit
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
  limit
    .command('list')
    .description("list a merchant's bounds, by product, and how much of a day's and a month's is used now")
    .argument('<merchant>', 'merchant id')
    .action((merchantId: string, _, command: Command) => list(command.optsWithGlobals(), merchantId));
}

type LimitOptions = GlobalOptions & { min: bigint; max: bigint; daily: bigint; monthly: bigint };

function setLimit(options: LimitOptions, merchantId: string, product: string): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const { min: minimumSen, max: maximumSen, daily: dailyMaximumSen, monthly: monthlyMaximumSen } = options;
    const limit = { product, minimumSen, maximumSen, dailyMaximumSen, monthlyMaximumSen };
    await operators.setLimits({ merchantId, limit });
    session.show({ merchant_id: merchantId, product }, [
      `${product}: from ${toRupiah(minimumSen)}, ${upTo(maximumSen, 'a payment')}, ${upTo(dailyMaximumSen, 'a day')}, ${upTo(monthlyMaximumSen, 'a month')}`,
    ]);
  });
}

function list(options: GlobalOptions, merchantId: string): Promise<void> {
  return withSession(options, async (session) => {
    const { limits } = await (await session.signedClient('money-out', LimitService)).listLimits({ merchantId });
    const lines = limits.length === 0 ? ['the merchant has no limits'] : limits.map(toLine);
    session.show({ merchant_id: merchantId, limits: limits.map(toJson) }, lines);
  });
}

function toJson(limit: LimitUse) {
  const bound = (sen: bigint) => (sen === 0n ? null : formatSen(sen));
  const isCounted = limit.dailyMaximumSen > 0n || limit.monthlyMaximumSen > 0n;
  return {
    product: limit.product,
    minimum: bound(limit.minimumSen),
    maximum: bound(limit.maximumSen),
    daily_maximum: bound(limit.dailyMaximumSen),
    monthly_maximum: bound(limit.monthlyMaximumSen),
    used_today: isCounted ? formatSen(limit.usedTodaySen) : null,
    used_this_month: isCounted ? formatSen(limit.usedThisMonthSen) : null,
  };
}

/**
 * For instance "disbursement: from IDR 0.00, no maximum of a payment, at most IDR 90000.00 a day (IDR 12000.00 today), no maximum of
 * a month (IDR 12000.00 this month)".
 */
function toLine(limit: LimitUse): string {
  const { product, minimumSen, maximumSen, dailyMaximumSen, monthlyMaximumSen } = limit;
  const isCounted = dailyMaximumSen > 0n || monthlyMaximumSen > 0n;
  const used = (sen: bigint, when: string) => (isCounted ? ` (${toRupiah(sen)} ${when})` : '');
  return [
    `${product}: from ${toRupiah(minimumSen)}`,
    upTo(maximumSen, 'a payment'),
    `${upTo(dailyMaximumSen, 'a day')}${used(limit.usedTodaySen, 'today')}`,
    `${upTo(monthlyMaximumSen, 'a month')}${used(limit.usedThisMonthSen, 'this month')}`,
  ].join(', ');
}

function upTo(sen: bigint, of: string): string {
  return sen === 0n ? `no maximum of ${of}` : `at most ${toRupiah(sen)} ${of}`;
}
