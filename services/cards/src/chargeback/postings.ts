import { Intent, Side } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { CARD, type Context } from '../context.ts';
import type { ChargebackOrder, Reserve } from './state.ts';

const REFERENCE_MAX = 128;

type LedgerContext = Pick<Context, 'ledger' | 'suspensePartition'>;

const STEPS = {
  reserve: { intent: Intent.RESERVE, description: 'Chargeback' },
  restore: { intent: Intent.RESTORE, description: 'Chargeback won' },
  forfeit: { intent: Intent.FORFEIT, description: 'Chargeback lost' },
} as const;

/**
 * Moves the money of a chargeback, with its fee, once: from the account to its reserve (the account owes what it is short of),
 * and at the end back to it or to the acquirer. Refusals: unavailable, timeout.
 */
export async function postChargeback(
  { ledger }: LedgerContext,
  order: ChargebackOrder,
  { reservedSen, feeSen }: Reserve,
  step: keyof typeof STEPS,
): Promise<void> {
  if (reservedSen === 0n) return;
  const key = { postingKey: `${order.id}:${step}`, amountSen: reservedSen, feeSen };
  await ledger.post({ ...posting(order), ...STEPS[step], ...key, partition: order.partition });
}

/**
 * What of a lost chargeback no account bears, or of one that is won and whose payment was written off: the acquirer has it all the
 * same, so suspense gives it, once.
 */
export async function postUncovered(
  { ledger, suspensePartition }: LedgerContext,
  order: ChargebackOrder,
  amountSen: bigint,
  step: 'restore' | 'forfeit',
): Promise<void> {
  await ledger.post({
    ...posting(order),
    partition: order.partition === '' ? suspensePartition : order.partition,
    intent: Intent.REFUND,
    side: Side.SUSPENSE,
    postingKey: `${order.id}:uncovered`,
    amountSen,
    description: STEPS[step].description,
  });
}

function posting(order: ChargebackOrder) {
  return {
    merchantId: order.merchantId,
    accountId: order.accountId,
    rail: CARD,
    product: CARD,
    transactionId: order.merchantId === '' ? order.id : order.reference,
    // The ledger's texts are shorter than a merchant's reference may be.
    referenceNumber: order.merchantReffNo.slice(0, REFERENCE_MAX).toWellFormed(),
    feeSen: 0n,
  };
}
