import { isRefusal, RefusalError } from '@gerbang/core';
import { retryConflicts } from '@gerbang/store';
import type { Context } from '../context.ts';
import type { StoredPaymentRequest } from './document.ts';
import type { EventName } from './kind.ts';
import { decide, type Mismatch, mismatchOf, type PaymentRequestCommand } from './payment-request.ts';
import { eventOf } from './publish.ts';
import type { Details, PaymentRequest, ShownPayment } from './request.ts';
import { changed } from './store.ts';

/** What payment requests are changed with. */
export type ChangeContext = Pick<Context, 'paymentRequests' | 'kinds' | 'clock'>;

/** What a change does besides the state: fields that it sets, and the event that it publishes. */
export type ChangeExtras = {
  details?: (current: PaymentRequest) => Details;
  payment?: ShownPayment;
  event?: EventName;
  /** Of the event: the parent as it is now. */
  parent?: PaymentRequest | undefined;
};

/** The request as it now stands, and whether this call has changed it: only then does the caller count and log the change. */
export type Changed = { request: StoredPaymentRequest; isChanged: boolean };

/**
 * Decides and writes; when another replica has written meanwhile, decides anew on what is there now. Refusals: those of `decide`,
 * and unavailable when others always win.
 */
export function changePaymentRequest(
  context: ChangeContext,
  request: StoredPaymentRequest,
  command: PaymentRequestCommand,
  extras: ChangeExtras = {},
): Promise<Changed> {
  return retryConflicts<StoredPaymentRequest, Changed>({
    first: request,
    read: () => mustFind(context, request.order.id),
    write: async (current) => {
      const nowMs = context.clock.now();
      const events = decide(current.state, command, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      if (events.length === 0) return { request: current, isChanged: false };
      const { details, payment, event: what, parent } = extras;
      const fields = {
        nowMs,
        ...(details !== undefined && { details: details(current) }),
        ...(payment !== undefined && { payment }),
      };
      const after = changed(current, events, fields);
      const published = what === undefined ? [] : [eventOf(context.kinds, after, { what, nowMs, parent })];
      const written = await context.paymentRequests.apply(current, events, { ...fields, published });
      return written && { request: written, isChanged: true };
    },
  });
}

/**
 * Takes a use for a payment or a session. Between reading the request and writing it `isStillWanted` is asked: where another
 * replica has taken the same payment further meanwhile, nothing is taken; since a use is finished only after that, it can't be
 * taken twice. `details` are written with it. Gives why it does not fit, or undefined. Refusals: unavailable, those of
 * `isStillWanted`.
 */
export async function takeUse(
  context: ChangeContext,
  request: StoredPaymentRequest,
  command: Extract<PaymentRequestCommand, { type: 'take' }>,
  isStillWanted: (current: PaymentRequest) => Promise<boolean>,
  details?: (current: PaymentRequest) => Details,
): Promise<Mismatch | undefined> {
  const taken = await retryConflicts<StoredPaymentRequest, { mismatch: Mismatch | undefined }>({
    first: request,
    read: () => mustFind(context, request.order.id),
    write: async (current) => {
      const mismatch = mismatchOf(current.state, command);
      if (mismatch !== undefined) return { mismatch };
      const nowMs = context.clock.now();
      const events = decide(current.state, command, nowMs);
      if (isRefusal(events)) throw new RefusalError(events);
      if (events.length === 0 || !(await isStillWanted(current))) return { mismatch: undefined };
      const fields = { nowMs, published: [], ...(details !== undefined && { details: details(current) }) };
      const written = await context.paymentRequests.apply(current, events, fields);
      return written && { mismatch: undefined };
    },
  });
  return taken.mismatch;
}

/**
 * Changes fields that no decision hangs on; `change` gives undefined where there is nothing to change (any more). Refusals:
 * unavailable.
 */
export function changeFields(
  context: ChangeContext,
  request: StoredPaymentRequest,
  change: (current: StoredPaymentRequest) => { details?: Details; payment?: ShownPayment } | undefined,
): Promise<Changed> {
  return retryConflicts<StoredPaymentRequest, Changed>({
    first: request,
    read: () => mustFind(context, request.order.id),
    write: async (current) => {
      const fields = change(current);
      if (fields === undefined) return { request: current, isChanged: false };
      const written = await context.paymentRequests.apply(current, [], { ...fields, nowMs: context.clock.now(), published: [] });
      return written && { request: written, isChanged: true };
    },
  });
}

/** Writes down that the payment of a payment request that is paid once has settled. Refusals: unavailable. */
export async function markSettled(context: ChangeContext, request: StoredPaymentRequest, settledAtMs: number): Promise<void> {
  await changeFields(context, request, ({ payment }) =>
    payment === undefined || payment.settledAtMs !== undefined ? undefined : { payment: { ...payment, settledAtMs } },
  );
}

/** A payment request that is known to be there. */
export async function mustFind(context: Pick<Context, 'paymentRequests'>, id: string): Promise<StoredPaymentRequest> {
  const found = await context.paymentRequests.find(id);
  if (found === undefined) throw new Error(`payment request ${id} has vanished`);
  return found;
}
