import { setTimeout as sleep } from 'node:timers/promises';
import { newOrder, order } from '../support/disbursement.ts';
import { idr, type MerchantClient } from '../support/merchant-client.ts';

/** An order that got no answer, or another one than that it was taken. */
export type Failure = { reference: string; reason: string };

/** What a stream of orders came to. `durationsMs` has those of the orders that were taken. */
export type Orders = { taken: string[]; failures: Failure[]; durationsMs: number[] };

/**
 * Orders transfers at a steady rate, whether or not earlier ones are answered, as merchants do, until it is stopped. The promise of
 * `stop` resolves when all are answered.
 */
export function orderSteadily(merchant: MerchantClient, accountId: string, perSecond: number): { stop(): Promise<Orders> } {
  const orders: Orders = { taken: [], failures: [], durationsMs: [] };
  const waiting = new Set<Promise<void>>();
  const one = async () => {
    const body = newOrder(accountId, { amount: idr(10_000) });
    const startMs = performance.now();
    try {
      const { response, error } = await order(merchant, body);
      if (!response.ok) throw new Error(`${response.status}: ${JSON.stringify(error)}`);
      orders.taken.push(body.reference_number);
      orders.durationsMs.push(performance.now() - startMs);
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
      orders.failures.push({ reference: body.reference_number, reason: `${String(error)}${cause}` });
    }
  };
  let stopped = false;
  const flow = async () => {
    const beganMs = performance.now();
    for (let sent = 0; !stopped; sent++) {
      const ordering = one().finally(() => waiting.delete(ordering));
      waiting.add(ordering);
      await sleep(Math.max(0, beganMs + ((sent + 1) * 1_000) / perSecond - performance.now()));
    }
  };
  const flowing = flow();
  return {
    async stop() {
      stopped = true;
      await flowing;
      await Promise.all(waiting);
      return orders;
    },
  };
}
