/** What every call to a rail takes: `signal` ends the wait, and the outcome is then unknown. */
export type CallOptions = { signal: AbortSignal };

/**
 * Calls a rail with a signal that ends the wait after `timeoutMs`. Its timer ends with the call: that of `AbortSignal.timeout`
 * goes on after the answer has come, keeps what it knows for as long, and then makes an error that no caller awaits.
 */
export async function callWithin<T>(timeoutMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Anything but an explicit answer: the rail may have done it. `reason` is for operators and holds no secret. `needsOperator`:
 * asking again will hardly help.
 */
export type UnknownOutcome = { outcome: 'unknown'; reason: string; needsOperator?: true };

/** An explicit no: the rail has not done it. `code` is the rail's, `reason` its words. */
export type RefusedOutcome = { outcome: 'failed'; code: string; reason: string };

/** The rail knows nothing of it, which is not that it has failed: a request may still be on its way. */
export type NotFoundOutcome = { outcome: 'not_found' };

/**
 * An explicit, final no to money that goes out: nothing has moved nor will it. `cause`: the rail does not know the recipient, the
 * amount is more than the recipient takes, or something else.
 */
export type FailedOutcome = RefusedOutcome & { cause: 'recipient_unknown' | 'recipient_limit' | 'other' };

/** It was paid, and the money came back. `railReference` may be empty. */
export type ReturnedOutcome = { outcome: 'returned'; railReference: string; reason: string };

/**
 * A payment as a rail tells it when it is asked. `railReference` is the one that its notification has: a payment counts once,
 * however it is learnt of.
 */
export type PaidOutcome = {
  outcome: 'paid';
  railReference: string;
  /** Sen, all that was paid, tip included. */
  amountSen: bigint;
  /** The rail's time, Unix milliseconds. */
  paidAtMs: number;
};
