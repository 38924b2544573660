import { isRefusal, RefusalError } from '@gerbang/core';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import { decideCharge } from './charge.ts';
import type { StoredCharge } from './document.ts';
import { UNRESOLVED_AFTER_MS } from './schedule.ts';
import type { ChargeCommand, ChargeEvent } from './state.ts';

export type ChangeContext = Pick<Context, 'charges' | 'clock' | 'log' | 'metrics'>;

/** The charge as it now stands, and whether this call has changed it: only then does the caller go on with what it means. */
export type Changed = { charge: StoredCharge; isChanged: boolean };

/**
 * Decides a command and writes it; when another process has written meanwhile, decides anew on what is there now. Only the writer
 * of an event logs and counts it. Refusals: those of the decider, unavailable.
 */
export async function changeCharge(context: ChangeContext, first: StoredCharge, command: ChargeCommand): Promise<Changed> {
  const { id } = first.order;
  const changed = await retryConflicts<StoredCharge, { charge: StoredCharge; event: ChargeEvent | undefined }>({
    first,
    read: () => mustFindCharge(context, id),
    async write(current) {
      // A wait adds nothing to what another process has written meanwhile.
      const isOvertaken = current !== first && (command.type === 'wait' || command.type === 'refund-wait');
      const nowMs = context.clock.now();
      const events = isOvertaken ? [] : decideCharge(current.state, command, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      const [event] = events;
      if (event === undefined) return { charge: current, event };
      const charge = await context.charges.apply(current, event, nowMs);
      return charge && { charge, event };
    },
  });
  if (changed.event !== undefined) observe(context, changed.charge, changed.event, command);
  return { charge: changed.charge, isChanged: changed.event !== undefined };
}

export async function mustFindCharge({ charges }: Pick<Context, 'charges'>, id: string): Promise<StoredCharge> {
  const found = await charges.find(id, { linearizable: true });
  if (found === undefined) throw new Error(`charge ${id} has vanished`);
  return found;
}

function observe(
  context: ChangeContext,
  { order, state }: StoredCharge,
  { published }: ChargeEvent,
  command: ChargeCommand,
): void {
  const { log, metrics, clock } = context;
  const fields = { transaction_id: order.id, merchant_id: order.merchantId };
  if (published !== undefined) {
    metrics.chargeChanged(published, order.bankCode, state.status);
    log.info({ ...fields, status: state.status }, `direct debit ${published.event}`);
  }
  const nowMs = clock.now();
  if (command.type === 'pay') metrics.credited(nowMs - order.createdAtMs);
  if (command.type === 'settle') metrics.settled();
  if (command.type !== 'wait' && command.type !== 'refund-wait') return;
  const waiting = { ...fields, reason: command.waitingFor };
  if (nowMs - order.createdAtMs < UNRESOLVED_AFTER_MS) log.warn(waiting, 'the bank has not told an outcome yet');
  else log.error(waiting, 'the bank has not told an outcome for a day; an operator looks at it');
}
