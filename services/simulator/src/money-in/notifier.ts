import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { GatewayAnswer } from './gateway.ts';
import { notificationOf } from './notification.ts';
import type { Receipt } from './receipts.ts';

/** How often the books are looked through for what is still to be told. */
const POLL_MS = 300;
/** While one attempt is under way, no other one is made. */
const ATTEMPT_MS = 15_000;
/** 1 s, 2 s, 4 s … half a minute. */
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 30_000;
/** After about a day a bank stops telling; then it is for reconciliation to find. */
const ATTEMPTS_MAX = 2_900;

type TellContext = Pick<Context, 'receipts' | 'gateway' | 'log' | 'behaviours'>;

/** Tells the gateway of a payment that nobody tells of just now, once; undefined when somebody does. */
export async function tellNow(context: TellContext, receipt: Receipt): Promise<GatewayAnswer | undefined> {
  const nowMs = Date.now();
  if (!(await context.receipts.claim(receipt, nowMs, nowMs + ATTEMPT_MS))) return undefined;
  return tell(context, { ...receipt, attempts: receipt.attempts + 1 });
}

/** Tells the gateway whatever it has not acknowledged yet, until the service stops; also what an earlier run of the service has left. */
export async function keepTelling(context: TellContext & Pick<Context, 'stopping'>): Promise<void> {
  while (!context.stopping.aborted) {
    try {
      const nowMs = Date.now();
      const due = await context.receipts.claimDue(nowMs, nowMs + ATTEMPT_MS);
      if (due !== undefined) {
        await tell(context, due);
        continue;
      }
    } catch (error) {
      if (!context.stopping.aborted) context.log.error({ err: error }, 'the books could not be looked through');
    }
    await sleep(POLL_MS, undefined, { signal: context.stopping }).catch(() => {});
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
      // A number's payment is given back to the customer; the money of a code or checkout has been taken, whatever the gateway thinks.
      await context.receipts.settle(receipt, status === 'pending' ? 'failed' : status, answer.message);
      context.log.warn(
        { rail, rail_reference: railReference, response_code: answer.responseCode },
        'the gateway refuses a payment',
      );
      break;
    case 'unanswered': {
      if (attempts >= ATTEMPTS_MAX) {
        await context.receipts.settle(receipt, status === 'pending' ? 'success' : status, 'never acknowledged');
        context.log.error({ rail, rail_reference: railReference }, 'the gateway was never told of a payment');
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
