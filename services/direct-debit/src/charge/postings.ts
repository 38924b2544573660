import { type RefusalCode, RefusalError } from '@gerbang/core';
import { Intent, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { type Context, DIRECT_DEBIT } from '../context.ts';
import type { ChargeOrder, FeeBreakdown, Refund } from './state.ts';

type LedgerContext = Pick<Context, 'ledger'>;

/** Credits the net amount to pending, once per charge. Refusals: unavailable, timeout, account_limit. */
export async function postCredit({ ledger }: LedgerContext, order: ChargeOrder, fees: FeeBreakdown): Promise<void> {
  const { netSen: amountSen, feeSen, vendorFeeSen } = fees;
  const credit = { intent: Intent.CREDIT, side: Side.PENDING, postingKey: `${order.id}:credit` };
  await ledger.post({ ...posting(order), ...credit, amountSen, feeSen, vendorFeeSen });
}

/** Moves what is left of the charge from pending to available, once. Gives the moment, Unix milliseconds. */
export async function postSettlement(
  { ledger }: LedgerContext,
  order: ChargeOrder,
  { settleSen: amountSen, fees }: { settleSen: bigint; fees: FeeBreakdown },
): Promise<number> {
  const settlement = { intent: Intent.SETTLE, postingKey: `${order.id}:settle`, amountSen, feeSen: fees.feeSen };
  const { postedAtMs } = await ledger.post({ ...posting(order), ...settlement });
  return Number(postedAtMs);
}

/**
 * Gives a refund's money to the rail, before the bank is asked for it: from pending as far as it is there, else from available;
 * once per refund. False where available is short. Refusals: unavailable, timeout.
 */
export async function postRefund({ ledger }: LedgerContext, order: ChargeOrder, refund: Refund): Promise<boolean> {
  const { fromPendingSen, fromAvailableSen } = refund;
  const parts =
    fromPendingSen > 0n
      ? { side: Side.PENDING, amountSen: fromPendingSen, feeSen: fromAvailableSen }
      : { side: Side.AVAILABLE, amountSen: fromAvailableSen, feeSen: 0n };
  const refunding = { intent: Intent.REFUND, postingKey: `${refund.id}:refund`, ...parts };
  return !(await isRefused('insufficient_balance', () => ledger.post({ ...ofRefund(order, refund), ...refunding })));
}

/** Takes a refund's money back from the rail, once: what was in pending goes there again unless the charge has settled. */
export async function postReturn(
  { ledger }: LedgerContext,
  order: ChargeOrder,
  refund: Refund,
  { toPending }: { toPending: boolean },
): Promise<void> {
  const pendingSen = toPending ? refund.fromPendingSen : 0n;
  const parts = [
    { side: Side.PENDING, postingKey: `${refund.id}:return-pending`, amountSen: pendingSen },
    { side: Side.AVAILABLE, postingKey: `${refund.id}:return-available`, amountSen: refund.amountSen - pendingSen },
  ];
  for (const part of parts) {
    if (part.amountSen > 0n) await ledger.post({ ...ofRefund(order, refund), ...part, intent: Intent.CREDIT, feeSen: 0n });
  }
}

async function isRefused(refused: RefusalCode, post: () => Promise<unknown>): Promise<boolean> {
  try {
    await post();
    return false;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === refused) return true;
    throw error;
  }
}

function posting(order: ChargeOrder) {
  return {
    merchantId: order.merchantId,
    partition: order.partition,
    accountId: order.accountId,
    rail: DIRECT_DEBIT,
    product: DIRECT_DEBIT,
    transactionId: order.id,
    referenceNumber: order.referenceNumber,
    description: order.description,
  };
}

/** Statements show the refund's own reference. */
function ofRefund(order: ChargeOrder, refund: Refund) {
  return { ...posting(order), referenceNumber: refund.referenceNumber, description: 'Refund' };
}
