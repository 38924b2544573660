import { type RefusalCode, RefusalError } from '@gerbang/core';
import { Compensation, Intent, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { CARD, type Context } from '../context.ts';
import { standingSen } from './dispute.ts';
import { productOf } from './product.ts';
import type { Captured, FeeBreakdown, PaymentOrder, Refund, Withdrawal } from './state.ts';

const REFERENCE_MAX = 128;

type LedgerContext = Pick<Context, 'ledger'>;

/** Credits the net amount to pending, once. Refusals: unavailable, timeout, account_limit. */
export async function postCredit({ ledger }: LedgerContext, order: PaymentOrder, fees: FeeBreakdown): Promise<void> {
  const { netSen: amountSen, feeSen, vendorFeeSen } = fees;
  const credit = { intent: Intent.CREDIT, side: Side.PENDING, postingKey: `${order.id}:credit` };
  await ledger.post({ ...posting(order), ...credit, amountSen, feeSen, vendorFeeSen });
}

/** Moves the net amount from pending to available, once. Gives the moment, Unix milliseconds. */
export async function postSettlement({ ledger }: LedgerContext, order: PaymentOrder, fees: FeeBreakdown): Promise<number> {
  const { netSen: amountSen, feeSen } = fees;
  const settlement = { intent: Intent.SETTLE, postingKey: `${order.id}:settle`, amountSen, feeSen };
  const { postedAtMs } = await ledger.post({ ...posting(order), ...settlement });
  return Number(postedAtMs);
}

/**
 * Gives a refund to the rail before the acquirer is asked for it, once per attempt. False where the balance is short. Refusals:
 * unavailable, timeout.
 */
export async function postRefund({ ledger }: LedgerContext, order: PaymentOrder, refund: Refund): Promise<boolean> {
  const { fromPendingSen, fromAvailableSen, attempt } = refund;
  const parts =
    fromPendingSen > 0n
      ? { side: Side.PENDING, amountSen: fromPendingSen, feeSen: fromAvailableSen }
      : { side: Side.AVAILABLE, amountSen: fromAvailableSen, feeSen: 0n };
  const refunding = { intent: Intent.REFUND, postingKey: `${order.id}:refund:${attempt}`, description: 'Refund', ...parts };
  return unlessRefused('insufficient_balance', () => ledger.post({ ...posting(order), ...refunding }));
}

/** Takes a refund back from the rail, to where it came from, once per attempt. */
export async function postReturn({ ledger }: LedgerContext, order: PaymentOrder, refund: Refund): Promise<void> {
  const key = `${order.id}:return:${refund.attempt}`;
  const parts = [
    { side: Side.PENDING, postingKey: `${key}:pending`, amountSen: refund.fromPendingSen },
    { side: Side.AVAILABLE, postingKey: `${key}:available`, amountSen: refund.fromAvailableSen },
  ];
  for (const part of parts) {
    if (part.amountSen > 0n)
      await ledger.post({ ...posting(order), ...part, intent: Intent.CREDIT, feeSen: 0n, description: 'Refund returned' });
  }
}

/**
 * Gives the rail what the acquirer has taken back by itself, once per attempt: from the account, with the fee, or from suspense.
 * False where the balance is short.
 */
export async function postWithdrawal(
  { ledger }: LedgerContext,
  order: PaymentOrder,
  { authorisation, capture, withdrawal: { attempt, takenFrom } }: Captured & { withdrawal: Withdrawal },
): Promise<boolean> {
  const { netSen, feeSen, vendorFeeSen } = authorisation.fees;
  const withdrawal = {
    ...posting(order),
    intent: Intent.COMPENSATE,
    compensation: Compensation.PAYMENT_WITHDRAWN,
    postingKey: attempt === 1 ? `${order.id}:withdrawal` : `${order.id}:withdrawal:${attempt}`,
  };
  if (takenFrom === 'suspense') {
    const amountSen = standingSen({ authorisation, capture });
    // Where chargebacks claim all of it, suspense has nothing to bear, and the ledger takes no posting of 0.
    if (amountSen > 0n) await ledger.post({ ...withdrawal, side: Side.SUSPENSE, amountSen, feeSen: 0n });
    return true;
  }
  const side = capture.settledAtMs === undefined ? Side.PENDING : Side.AVAILABLE;
  const amounts = { amountSen: netSen, feeSen, vendorFeeSen };
  return unlessRefused('insufficient_balance', () => ledger.post({ ...withdrawal, side, ...amounts }));
}

/** False where the ledger refuses for this reason. */
async function unlessRefused(refused: RefusalCode, post: () => Promise<unknown>): Promise<boolean> {
  try {
    await post();
    return true;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === refused) return false;
    throw error;
  }
}

function posting(order: PaymentOrder) {
  return {
    merchantId: order.merchantId,
    partition: order.partition,
    accountId: order.accountId,
    rail: CARD,
    product: productOf(order),
    transactionId: order.id,
    // The ledger's texts are shorter than a merchant's reference may be.
    referenceNumber: order.merchantReffNo.slice(0, REFERENCE_MAX).toWellFormed(),
    description: '',
  };
}
