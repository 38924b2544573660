import { RefusalError } from '@gerbang/core';
import { Compensation, Intent, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { type Context, DIRECT_DEBIT } from '../context.ts';
import type { Decision, DiscrepancyOrder, Kind } from './discrepancy.ts';

type LedgerContext = Pick<Context, 'ledger'>;

/** Suspense takes what the bank has too much, or gives what it has too little; once. Refusals: unavailable, timeout. */
export async function postToSuspense({ ledger }: LedgerContext, order: DiscrepancyOrder, kind: Kind): Promise<void> {
  const ofSuspense = { ...posting(order), side: Side.SUSPENSE, amountSen: order.amountSen, feeSen: 0n };
  if (kind === 'surplus') {
    await ledger.post({ ...ofSuspense, intent: Intent.CREDIT, postingKey: `${order.id}:suspense` });
    return;
  }
  const compensation = Compensation.PAYMENT_WITHDRAWN;
  await ledger.post({ ...ofSuspense, intent: Intent.COMPENSATE, compensation, postingKey: `${order.id}:shortfall` });
}

/**
 * Moves the money as an operator has decided, once. `attempt` is in the key of a withdrawal, since a refusal burns a key. False
 * where available is short. Refusals: unavailable, timeout.
 */
export async function postDecision(
  { ledger }: LedgerContext,
  order: DiscrepancyOrder,
  { choice, sums }: Decision,
  attempt: number,
): Promise<boolean> {
  const { netSen: amountSen, feeSen, vendorFeeSen } = sums;
  const ofAccount = { ...posting(order), side: Side.AVAILABLE, amountSen, feeSen, vendorFeeSen };
  const ofSuspense = { ...posting(order), side: Side.SUSPENSE, amountSen: order.amountSen, feeSen: 0n };
  switch (choice) {
    case 'credit': {
      const credit = { intent: Intent.CREDIT, fromSuspense: true, postingKey: `${order.id}:credit-from-suspense` };
      await ledger.post({ ...ofAccount, ...credit });
      return true;
    }
    case 'refund':
      await ledger.post({ ...ofSuspense, intent: Intent.REFUND, postingKey: `${order.id}:out-of-suspense` });
      return true;
    case 'withdraw': {
      const compensation = Compensation.PAYMENT_WITHDRAWN;
      const withdrawal = { intent: Intent.COMPENSATE, compensation, postingKey: `${order.id}:withdrawal:${attempt}` };
      if (await isShort(() => ledger.post({ ...ofAccount, ...withdrawal }))) return false;
      await ledger.post({ ...ofSuspense, intent: Intent.CREDIT, postingKey: `${order.id}:shortfall-covered` });
      return true;
    }
    case 'bear':
      return true;
    default:
      return choice satisfies never;
  }
}

async function isShort(post: () => Promise<unknown>): Promise<boolean> {
  try {
    await post();
    return false;
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.refused === 'insufficient_balance') return true;
    throw error;
  }
}

function posting(order: DiscrepancyOrder) {
  return {
    merchantId: order.merchantId,
    partition: order.partition,
    accountId: order.accountId,
    rail: DIRECT_DEBIT,
    product: DIRECT_DEBIT,
    transactionId: order.chargeId,
    referenceNumber: order.referenceNumber,
    description: '',
  };
}
