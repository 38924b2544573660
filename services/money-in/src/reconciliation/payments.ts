import type { ReadPayment } from '@gerbang/reconciliation';
import type { Payment } from '../payment/order.ts';
import type { PaidQuery } from '../payment/store.ts';
import { toOurPayment } from './our-payment.ts';

const PAGE = 1_000;

/**
 * The payments that a rail has reported, by the rail's time. What an operator has credited from suspense is a payment of its own,
 * over money that the rail has brought once: it is left out.
 */
export async function* readPayments(
  { listPaid }: { listPaid(query: PaidQuery): Promise<readonly Payment[]> },
  rail: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  amountsSen: readonly bigint[] | undefined,
): AsyncGenerator<ReadPayment> {
  let startMs = fromMs;
  let seen = new Set<string>();
  for (;;) {
    // Those of the last millisecond come again.
    const limit = PAGE + seen.size;
    const page = await listPaid({ rail, fromMs: startMs, toMs, amountsSen, limit });
    const fresh = page.filter(({ order }) => !seen.has(order.id));
    for (const payment of fresh) yield { payment: toOurPayment(payment), readToMs: payment.order.paidAtMs };
    const last = page.at(-1);
    if (page.length < limit || last === undefined) return;
    if (last.order.paidAtMs > startMs) seen = new Set();
    startMs = last.order.paidAtMs;
    for (const { order } of page) if (order.paidAtMs === startMs) seen.add(order.id);
  }
}
