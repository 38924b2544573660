import { isRefusal, RefusalError, refuse } from '@gerbang/core';
import type { Context } from '../context.ts';
import { type Announced, announce } from './announce.ts';
import { decide, type Misfit, misfitOf, type PayableCommand } from './payable.ts';
import type { Details } from './product.ts';
import type { Payment, StoredPayable } from './stored-payable.ts';

/** Attempts at a write that others may win. */
const CONFLICTS_MAX = 50;

/** What payables are changed with. */
export type ChangeContext = Pick<Context, 'payables' | 'clock'>;

/** What a change does beside the state: fields that it sets, and what others hear of it. */
export type Beside = {
  details?: (current: StoredPayable) => Details;
  payment?: Payment;
  announced?: Announced;
  /** Of a history's event: its link as it is now. */
  link?: StoredPayable;
};

/**
 * Decides and writes; when somebody else has written meanwhile, decides anew on what is there now. Gives the payable as it then stands. Refusals: those of
 * `decide`, unavailable when others always win.
 */
export async function changePayable(
  context: ChangeContext,
  payable: StoredPayable,
  command: PayableCommand,
  beside: Beside = {},
): Promise<StoredPayable> {
  let current = payable;
  for (let attempt = 0; attempt < CONFLICTS_MAX; attempt++) {
    const nowMs = context.clock.now();
    const events = decide(current.state, command, nowMs);
    if (isRefusal(events)) throw new RefusalError(events);
    if (events.length === 0) return current;
    const fields = {
      nowMs,
      ...(beside.details !== undefined && { details: beside.details(current) }),
      ...(beside.payment !== undefined && { payment: beside.payment }),
    };
    const after = context.payables.after(current, events, fields);
    const published = beside.announced === undefined ? [] : announce(after, beside.announced, nowMs, beside.link);
    const written = await context.payables.apply(current, events, { ...fields, published });
    if (written !== undefined) return written;
    current = await readAgain(context, current);
  }
  throw tooBusy();
}

/**
 * Takes a use for a payment or a session. Between reading the payable and writing it `isStillWanted` is asked: where whoever wants the use has gone on meanwhile
 * (another replica works on the same payment), nothing is taken; since a use is finished only after that, it can't be taken twice. Gives why it does not fit,
 * or undefined. Refusals: unavailable.
 */
export async function takeUse(
  context: ChangeContext,
  payable: StoredPayable,
  command: Extract<PayableCommand, { type: 'take' }>,
  isStillWanted: () => Promise<boolean>,
): Promise<Misfit | undefined> {
  let current = payable;
  for (let attempt = 0; attempt < CONFLICTS_MAX; attempt++) {
    const misfit = misfitOf(current.state, command);
    if (misfit !== undefined) return misfit;
    const nowMs = context.clock.now();
    const events = decide(current.state, command, nowMs);
    if (isRefusal(events)) throw new RefusalError(events);
    if (events.length === 0 || !(await isStillWanted())) return undefined;
    if ((await context.payables.apply(current, events, { nowMs, published: [] })) !== undefined) return undefined;
    current = await readAgain(context, current);
  }
  throw tooBusy();
}

/** Writes down that the payment of a payable that is paid once has settled. */
export async function markSettled(context: ChangeContext, payable: StoredPayable, settledAtMs: number): Promise<void> {
  let current = payable;
  for (let attempt = 0; attempt < CONFLICTS_MAX; attempt++) {
    if (current.payment === undefined || current.payment.settledAtMs !== undefined) return;
    const beside = { payment: { ...current.payment, settledAtMs }, nowMs: context.clock.now(), published: [] };
    if ((await context.payables.apply(current, [], beside)) !== undefined) return;
    current = await readAgain(context, current);
  }
  throw tooBusy();
}

/** A payable that is known to be there. */
export async function mustFind(context: Pick<Context, 'payables'>, id: string): Promise<StoredPayable> {
  const found = await context.payables.find(id);
  if (found === undefined) throw new Error(`payable ${id} has vanished`);
  return found;
}

async function readAgain(context: ChangeContext, { order }: StoredPayable): Promise<StoredPayable> {
  // Those who have lost come back at different times.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  return mustFind(context, order.id);
}

function tooBusy(): RefusalError {
  return new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }));
}
