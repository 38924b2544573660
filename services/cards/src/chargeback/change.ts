import { isRefusal, RefusalError } from '@gerbang/core';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import { decide } from './chargeback.ts';
import type { StoredChargeback } from './document.ts';
import { type ChargebackCommand, type ChargebackEvent, reserveOf } from './state.ts';

type ChangeContext = Pick<Context, 'chargebacks' | 'clock' | 'log' | 'metrics'>;

/**
 * Decides a command and writes it; when another process has written meanwhile, decides anew on what is there now. Only the writer
 * of an event logs and counts it. Refusals: those of the decider, unavailable.
 */
export async function changeChargeback(
  context: ChangeContext,
  first: StoredChargeback,
  command: ChargebackCommand,
): Promise<StoredChargeback> {
  const { id } = first.order;
  const { chargeback, event } = await retryConflicts<
    StoredChargeback,
    { chargeback: StoredChargeback; event: ChargebackEvent | undefined }
  >({
    first,
    read: () => mustFind(context, id),
    async write(current) {
      const nowMs = context.clock.now();
      const events = decide(current.state, command, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      const [event] = events;
      if (event === undefined) return { chargeback: current, event };
      const chargeback = await context.chargebacks.apply(current, event, nowMs);
      return chargeback && { chargeback, event };
    },
  });
  if (event !== undefined) observe(context, chargeback, event);
  return chargeback;
}

async function mustFind({ chargebacks }: Pick<Context, 'chargebacks'>, id: string): Promise<StoredChargeback> {
  const found = await chargebacks.find(id, { linearizable: true });
  if (found === undefined) throw new Error(`chargeback ${id} has vanished`);
  return found;
}

function observe({ log, metrics }: ChangeContext, { order, state }: StoredChargeback, { published }: ChargebackEvent): void {
  if (published === undefined) return;
  const what = published.slice('card-chargeback.'.length);
  const fields = { chargeback_id: order.id, transaction_id: order.reference, merchant_id: order.merchantId };
  metrics.chargeback(what, order.reasonCode);
  log.info({ ...fields, status: state.status }, published);
  const uncoveredSen = order.amountSen - reserveOf(state).reservedSen;
  if (state.status === 'lost' && uncoveredSen > 0n)
    log.error(
      { ...fields, alert: 'chargeback-not-covered' },
      'a chargeback was lost that no account bears; suspense has given it',
    );
}
