import type { StoredCharge } from '../charge/document.ts';
import { isCharged } from '../charge/state.ts';
import { type Context, DIRECT_DEBIT } from '../context.ts';
import { advanceDiscrepancy } from './advance.ts';
import { changeDiscrepancy } from './change.ts';
import type { DiscrepancyOrder, Kind } from './discrepancy.ts';
import type { StoredDiscrepancy } from './document.ts';

/** Before operators decide an outcome: from now on the bank is asked whether it agrees. */
export async function watchOutcome(context: Context, charge: StoredCharge, refundId: string | undefined): Promise<void> {
  const order = orderOf(charge, refundId, context.clock.now());
  const inserted = await context.discrepancies.insert(order, { status: 'watching', inquiries: 0 }, context.clock.now());
  if (inserted === undefined) await changeDiscrepancy(context, await mustFind(context, order.id), { type: 'watch' });
}

/**
 * The bank has told another outcome than the one that stands here, which is never edited: the money goes through suspense, once,
 * and an operator decides. Refusals: unavailable, timeout (its timer goes on).
 */
export async function reportDiscrepancy(
  context: Context,
  charge: StoredCharge,
  refundId: string | undefined,
  kind: Kind,
): Promise<void> {
  const nowMs = context.clock.now();
  const order = orderOf(charge, refundId, nowMs);
  const inserted = await context.discrepancies.insert(order, { status: 'booking', kind, toldAtMs: nowMs, refusals: 0 }, nowMs);
  const told =
    inserted === undefined
      ? await changeDiscrepancy(context, await mustFind(context, order.id), { type: 'tell', kind })
      : { discrepancy: inserted, isChanged: true };
  if (told.isChanged) alertOf(context, order, kind);
  await advanceDiscrepancy(context, told.discrepancy);
}

async function mustFind({ discrepancies }: Pick<Context, 'discrepancies'>, id: string): Promise<StoredDiscrepancy> {
  const found = await discrepancies.find(id);
  if (found === undefined) throw new Error(`discrepancy ${id} is taken and not there`);
  return found;
}

function alertOf({ metrics, log }: Context, { chargeId, refundId, merchantId }: DiscrepancyOrder, kind: Kind): void {
  metrics.contradicted(kind);
  log.error(
    {
      alert: 'rail_contradiction',
      transaction_id: chargeId,
      refund_id: refundId,
      merchant_id: merchantId,
      rail: DIRECT_DEBIT,
      kind,
    },
    'the bank tells another outcome than the one that stands here; it is in suspense, and an operator decides',
  );
}

function orderOf({ order, state }: StoredCharge, refundId: string | undefined, nowMs: number): DiscrepancyOrder {
  const { id: chargeId, merchantId, accountId, partition } = order;
  const base = { chargeId, merchantId, accountId, partition, createdAtMs: nowMs };
  if (refundId === undefined)
    return { ...base, id: chargeId, refundId, referenceNumber: order.referenceNumber, amountSen: order.amountSen };
  const refund = isCharged(state) ? state.refunds.find(({ id }) => id === refundId) : undefined;
  if (refund === undefined) throw new Error(`charge ${chargeId} has no refund ${refundId}`);
  return { ...base, id: refundId, refundId, referenceNumber: refund.referenceNumber, amountSen: refund.amountSen };
}
