import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { GatewayAnswer } from './gateway.ts';
import { notificationOf } from './notification.ts';
import type { NewReceipt, Receipt } from './receipts.ts';

/** How often the books are looked through for what is still to be told. */
const POLL_MS = 500;
/** So many at once, beside those of customers who pay just now. */
const UNDER_WAY_MAX = 8;
/** While one attempt is under way, no other one is made. */
const ATTEMPT_MS = 20_000;
/** 1 s, 2 s, 4 s … half a minute. */
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 30_000;
/** After about a day a bank stops telling; then it is for reconciliation to find. */
const ATTEMPTS_MAX = 2_900;

type TellContext = Pick<Context, 'receipts' | 'gateway' | 'log'>;

/** `taken`: the reference is, so nothing was booked. `later`: the gateway is notified after a while. */
export type Booked = GatewayAnswer | { outcome: 'taken' } | { outcome: 'later' };

/**
 * Books a payment and tells the gateway of it, at once or, with `tellAfterMs`, later. From the booking on it is told until it is
 * acknowledged.
 */
export async function bookAndTell(context: TellContext, receipt: NewReceipt, tellAfterMs: number): Promise<Booked> {
  const isLater = tellAfterMs > 0;
  const isBooked = await context.receipts.add(receipt, Date.now() + (isLater ? tellAfterMs : ATTEMPT_MS));
  if (!isBooked) return { outcome: 'taken' };
  return isLater ? { outcome: 'later' } : tell(context, { ...receipt, attempts: 1, refundedSen: 0n });
}

/** Tells the gateway what has become of a payment that it knows, until it acknowledges that too. */
export async function tellAgain(context: TellContext, receipt: Receipt): Promise<void> {
  await context.receipts.notify(receipt, Date.now() + ATTEMPT_MS);
  await tell(context, { ...receipt, attempts: 1 });
}

/**
 * Tells the gateway what it has not acknowledged yet, until the service stops; also what an earlier run of the service has
 * left.
 */
export async function keepTelling(context: TellContext & Pick<Context, 'stopping'>): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const start = (receipt: Receipt) => {
    const telling = tell(context, receipt)
      .catch((error: unknown) => context.log.error({ err: error }, 'the gateway could not be notified of a payment'))
      .finally(() => underWay.delete(telling));
    underWay.add(telling);
  };
  while (!context.stopping.aborted) {
    const due = underWay.size < UNDER_WAY_MAX ? await claimDue(context) : undefined;
    if (due === undefined) await sleep(POLL_MS, undefined, { signal: context.stopping }).catch(() => {});
    else start(due);
  }
  await Promise.all(underWay);
}

async function claimDue({ receipts, log, stopping }: TellContext & Pick<Context, 'stopping'>): Promise<Receipt | undefined> {
  const nowMs = Date.now();
  try {
    return await receipts.claimDue(nowMs, nowMs + ATTEMPT_MS);
  } catch (error) {
    if (!stopping.aborted) log.error({ err: error }, 'the books could not be looked through');
    return undefined;
  }
}

async function tell(context: TellContext, receipt: Receipt): Promise<GatewayAnswer> {
  const { rail, railReference, status, attempts } = receipt;
  const { service, body } = notificationOf(receipt, attempts > 1);
  const answer = await context.gateway.call(rail, service, body);
  switch (answer.outcome) {
    case 'done':
      await context.receipts.settle(receipt, status === 'pending' ? 'success' : status, receipt.reason);
      break;
    case 'refused':
      // A number's payment is given back to the customer; the money of a code or checkout stays taken, although the gateway
      // refuses it.
      await context.receipts.settle(receipt, status === 'pending' ? 'failed' : status, answer.message);
      context.log.warn(
        { rail, rail_reference: railReference, response_code: answer.responseCode },
        'the gateway refuses a payment',
      );
      break;
    case 'unanswered': {
      if (attempts >= ATTEMPTS_MAX) {
        await context.receipts.settle(receipt, status === 'pending' ? 'success' : status, 'never acknowledged');
        context.log.error({ rail, rail_reference: railReference }, 'the gateway was never notified of a payment');
        break;
      }
      const waitMs = Math.min(RETRY_FIRST_MS * 2 ** Math.min(attempts - 1, 10), RETRY_MAX_MS);
      await context.receipts.postpone(receipt, Date.now() + waitMs);
      context.log.info(
        { rail, rail_reference: railReference, reason: answer.reason, attempts },
        'the gateway is told again later',
      );
      break;
    }
    default:
      return answer satisfies never;
  }
  return answer;
}
