import { deductFee } from '@gerbang/core';
import { feeRulesOf } from '@gerbang/neighbours';
import { type Context, DIRECT_DEBIT } from '../context.ts';
import type { ChargeOrder, FeeBreakdown } from './state.ts';

/** How far the bank's time may be from ours, before the order and after now. */
const EARLIEST_MS = 86_400_000;
const LATEST_MS = 10 * 60_000;

/** The fee breakdown of a charge by its merchant's fee schedule when it was charged (contract §5). Refusals: unavailable. */
export async function feesFor(
  { merchants, settlesAt }: Pick<Context, 'merchants' | 'settlesAt'>,
  order: ChargeOrder,
  chargedAtMs: number,
): Promise<FeeBreakdown> {
  const rules = feeRulesOf(await merchants.profile(order.merchantId));
  const charge = { product: DIRECT_DEBIT, channel: order.bankCode, amountSen: order.amountSen, nowMs: chargedAtMs };
  const { feeSen, netSen, vendorFeeSen } = deductFee(rules, charge);
  return { feeSen, netSen, vendorFeeSen, settleAtMs: settlesAt(DIRECT_DEBIT, chargedAtMs) };
}

/**
 * The bank's time of the charge; ours, with an alert, where that can't be. The money is the merchant's all the same: the bank was
 * asked about our own order, so there is no doubt whose it is.
 */
export function chargedAtMs(
  { log, metrics }: Pick<Context, 'log' | 'metrics'>,
  paidAtMs: number | undefined,
  order: ChargeOrder,
  nowMs: number,
): number {
  if (paidAtMs === undefined) return nowMs;
  if (paidAtMs >= order.createdAtMs - EARLIEST_MS && paidAtMs <= nowMs + LATEST_MS) return paidAtMs;
  metrics.timeNotBelieved();
  const told = { transaction_id: order.id, merchant_id: order.merchantId, rail: DIRECT_DEBIT, paid_at_ms: paidAtMs };
  log.error({ alert: 'rail_time_not_believed', ...told }, 'a bank tells a time that cannot be; ours counts');
  return nowMs;
}
