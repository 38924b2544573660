import { isRefusal, RefusalError } from '@gerbang/core';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import { decideBinding } from './binding.ts';
import type { StoredBinding } from './document.ts';
import type { BindingCommand, BindingEvent } from './state.ts';

export type ChangeContext = Pick<Context, 'bindings' | 'clock' | 'log' | 'metrics'>;

/** The binding as it now stands, and whether this call has changed it: only then does the caller go on with what it means. */
export type Changed = { binding: StoredBinding; isChanged: boolean };

/**
 * Decides a command and writes it; when another process has written meanwhile, decides anew on what is there now. Only the writer
 * of an event logs and counts it. Refusals: those of the decider, unavailable.
 */
export async function changeBinding(context: ChangeContext, first: StoredBinding, command: BindingCommand): Promise<Changed> {
  const { id } = first.order;
  const changed = await retryConflicts<StoredBinding, { binding: StoredBinding; event: BindingEvent | undefined }>({
    first,
    read: () => mustFindBinding(context, id),
    async write(current) {
      // A wait adds nothing to what another process has written meanwhile.
      const isOvertaken = current !== first && command.type === 'wait';
      const nowMs = context.clock.now();
      const events = isOvertaken ? [] : decideBinding(current.state, command, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      const [event] = events;
      if (event === undefined) return { binding: current, event };
      const binding = await context.bindings.apply(current, event, nowMs);
      return binding && { binding, event };
    },
  });
  if (changed.event?.published !== undefined) observe(context, changed.binding, changed.event.published);
  return { binding: changed.binding, isChanged: changed.event !== undefined };
}

export async function mustFindBinding({ bindings }: Pick<Context, 'bindings'>, id: string): Promise<StoredBinding> {
  const found = await bindings.find(id, { linearizable: true });
  if (found === undefined) throw new Error(`binding ${id} has vanished`);
  return found;
}

function observe(
  { log, metrics }: ChangeContext,
  { order, state }: StoredBinding,
  published: NonNullable<BindingEvent['published']>,
) {
  metrics.bindingChanged(published, order.bankCode);
  const reason = state.status === 'failed' ? state.reason : state.status === 'unbound' ? state.by : undefined;
  log.info({ binding_id: order.id, merchant_id: order.merchantId, reason }, `direct debit ${published}`);
}
