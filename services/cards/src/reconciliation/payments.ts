import type { Period } from '@gerbang/rails';
import type { ReadPayment } from '@gerbang/reconciliation';
import type { StoredPayment } from '../payment/document.ts';
import { isAuthorised } from '../payment/state.ts';
import type { MovedQuery } from '../payment/store.ts';
import { toOurCapture, toOurRefund } from './our-payment.ts';

const PAGE = 1_000;

type Reading = { listMoved(query: MovedQuery): Promise<readonly StoredPayment[]>; nowMs(): number };
type Query = Pick<MovedQuery, 'by' | 'amountsSen'> & Period;

/** Captures of a period: of authorised payments by the time of the capture, of all others by that of the order, in order. */
export async function* readCaptures(
  reading: Reading,
  { fromMs, toMs }: Period,
  amountsSen: readonly bigint[] | undefined,
): AsyncGenerator<ReadPayment> {
  const streams = (['captured', 'ordered'] as const).map((by) => readMoved(reading, { by, fromMs, toMs, amountsSen }));
  for await (const payment of inOrder(streams)) {
    const ours = toOurCapture(payment, reading.nowMs());
    yield { payment: ours, readToMs: ours.fromMs };
  }
}

/** Refunds of a period, in order. */
export async function* readRefunds(
  reading: Reading,
  { fromMs, toMs }: Period,
  amountsSen: readonly bigint[] | undefined,
): AsyncGenerator<ReadPayment> {
  for await (const payment of readMoved(reading, { by: 'given-back', fromMs, toMs, amountsSen })) {
    const ours = toOurRefund(payment, reading.nowMs());
    if (ours !== undefined) yield { payment: ours, readToMs: ours.fromMs };
  }
}

/** By pages; each payment once, also where more than a page have the same time. */
async function* readMoved({ listMoved }: Reading, { by, fromMs, toMs, amountsSen }: Query): AsyncGenerator<StoredPayment> {
  let startMs = fromMs;
  let seen = new Set<string>();
  for (;;) {
    // Those of the last millisecond come again.
    const limit = PAGE + seen.size;
    const page = await listMoved({ by, fromMs: startMs, toMs, amountsSen, limit });
    yield* page.filter(({ order }) => !seen.has(order.id));
    const last = page.at(-1);
    if (page.length < limit || last === undefined) return;
    const lastMs = momentOf(last, by);
    if (lastMs > startMs) seen = new Set();
    startMs = lastMs;
    for (const payment of page) if (momentOf(payment, by) === startMs) seen.add(payment.order.id);
  }
}

async function* inOrder(streams: readonly AsyncGenerator<StoredPayment>[]): AsyncGenerator<StoredPayment> {
  const heads = await Promise.all(streams.map(async (stream) => ({ stream, head: await stream.next() })));
  try {
    for (;;) {
      const open = heads.flatMap((one) => (one.head.done === true ? [] : [{ one, payment: one.head.value }]));
      const [first, ...others] = open;
      if (first === undefined) return;
      const next = others.reduce((best, other) => (captureMs(other.payment) < captureMs(best.payment) ? other : best), first);
      yield next.payment;
      next.one.head = await next.one.stream.next();
    }
  } finally {
    await Promise.all(streams.map((stream) => stream.return(undefined)));
  }
}

function momentOf(payment: StoredPayment, by: MovedQuery['by']): number {
  if (by === 'given-back') return payment.document.given_back_at?.getTime() ?? 0;
  return captureMs(payment);
}

function captureMs({ order, state }: StoredPayment): number {
  return isAuthorised(state) ? state.authorisation.captureAtMs : order.createdAtMs;
}
