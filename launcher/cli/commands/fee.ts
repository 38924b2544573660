import { formatSen } from '@gerbang/core';
import type { FeeRule } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { type Command, Option } from 'commander';
import { type GlobalOptions, withSession } from '../session.ts';
import { moment, percent, rupiahOrZero, toIso, toRupiah } from '../values.ts';

type Fee = Omit<FeeRule, '$typeName' | '$unknown'>;

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

/** fee set | list */
export function feeCommands(program: Command): void {
  const fee = program.command('fee').description('fee schedules');
  fee
    .command('set')
    .description('set a fee; it replaces the one of the same product, channel and time')
    .argument('<merchant>', 'merchant id')
    .argument('<product>', 'its name, for instance disbursement')
    .option('--channel <code>', "for instance a bank's national code; all channels unless given", '')
    .addOption(inRupiah('--fixed', 'part that does not depend on the amount'))
    .option('--percent <percent>', 'part of the amount, for instance 0.7', percent, 0)
    .addOption(inRupiah('--min', 'at least'))
    .addOption(inRupiah('--max', 'at most; 0 = no maximum'))
    .addOption(inRupiah('--vendor-fixed', 'the part of it that the bank or acquirer gets for any amount'))
    .option('--vendor-percent <percent>', 'and its part of the amount', percent, 0)
    .addOption(new Option('--from <time>', 'when it comes into effect; always unless given').argParser(moment).default(0n, '0'))
    .addOption(
      new Option('--until <time>', 'when it ends, and what was set before applies again; never unless given')
        .argParser(moment)
        .default(0n, '0'),
    )
    .action((merchantId: string, product: string, _, command: Command) => set(command.optsWithGlobals(), merchantId, product));
  fee
    .command('list')
    .description('show what a merchant pays; a rule for the very channel goes first, then the one that came into effect last')
    .argument('<merchant>', 'merchant id')
    .action((merchantId: string, _, command: Command) => list(command.optsWithGlobals(), merchantId));
}

function inRupiah(name: string, description: string): Option {
  return new Option(`${name} <rupiah>`, description).argParser(rupiahOrZero).default(0n, '0');
}

function set(options: FeeOptions, merchantId: string, product: string): Promise<void> {
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
    await operators.setFees({ merchantId, fee });
    session.show({ merchant_id: merchantId, ...toJson(fee) }, [toLine(fee)]);
  });
}

function list(options: GlobalOptions, merchantId: string): Promise<void> {
  return withSession(options, async (session) => {
    const operators = await session.merchantService();
    const { fees } = await operators.listFees({ merchantId });
    session.show({ merchant_id: merchantId, fees: fees.map(toJson) }, fees.map(toLine));
  });
}

function toJson(fee: Fee) {
  return {
    product: fee.product,
    channel: fee.channel,
    fixed: formatSen(fee.fixedSen),
    basis_points: fee.basisPoints,
    minimum: formatSen(fee.minimumSen),
    maximum: formatSen(fee.maximumSen),
    vendor_fixed: formatSen(fee.vendorFixedSen),
    vendor_basis_points: fee.vendorBasisPoints,
    effective_from: toIso(fee.effectiveFromMs),
    effective_until: fee.effectiveUntilMs === 0n ? null : toIso(fee.effectiveUntilMs),
  };
}

/**
 * For instance "qris, all channels: IDR 0.00 + 0.7 %, at most IDR 5000.00, of which the vendor gets IDR 0.00 + 0.3 %, from
 * 2027-01-01T00:00:00.000Z".
 */
function toLine(fee: Fee): string {
  const parts = [
    `${fee.product}, ${fee.channel === '' ? 'all channels' : `channel ${fee.channel}`}: ${sum(fee.fixedSen, fee.basisPoints)}`,
  ];
  if (fee.minimumSen > 0n) parts.push(`at least ${toRupiah(fee.minimumSen)}`);
  if (fee.maximumSen > 0n) parts.push(`at most ${toRupiah(fee.maximumSen)}`);
  if (fee.vendorFixedSen > 0n || fee.vendorBasisPoints > 0) {
    parts.push(`of which the vendor gets ${sum(fee.vendorFixedSen, fee.vendorBasisPoints)}`);
  }
  if (fee.effectiveFromMs > 0n) parts.push(`from ${toIso(fee.effectiveFromMs)}`);
  if (fee.effectiveUntilMs > 0n) parts.push(`until ${toIso(fee.effectiveUntilMs)}`);
  return parts.join(', ');
}

function sum(fixedSen: bigint, basisPoints: number): string {
  return `${toRupiah(fixedSen)} + ${basisPoints / 100} %`;
}
