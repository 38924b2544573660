import type { HistoryRow, Period } from '@gerbang/rails';
import { periodOf } from '../src/day.ts';
import type { OurPayment } from '../src/match/payment.ts';
import type { ReconciledRail } from '../src/rail.ts';

export const DAY = '2026-11-21';
export const PERIOD = periodOf(DAY);

/** A moment of the day, "HH:MM" or "HH:MM:SS"; hours from 24 on are of the next day. */
export function at(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return PERIOD.fromMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}

let numbers = 0;

/** A payment that has gone out at a time, over IDR 10,000 to an account of its own, unless told otherwise. */
export function ours(time: string, over: Partial<OurPayment> = {}): OurPayment {
  const id = `p${++numbers}`;
  const fromMs = at(time);
  return {
    id,
    direction: 'out',
    amountSen: 10_000_00n,
    fromMs,
    toMs: fromMs,
    openUntilMs: fromMs + 86_400_000,
    standing: 'done',
    status: 'succeeded',
    keys: [`ACCOUNT${numbers}X`],
    text: '',
    railReference: '',
    merchantId: 'm1',
    accountId: 'a1',
    reference: `ref-${id}`,
    ...over,
  };
}

export function row(time: string, remark: string, over: Partial<HistoryRow> = {}): HistoryRow {
  return {
    atMs: at(time),
    amountSen: 10_000_00n,
    direction: 'out',
    status: 'booked',
    remark,
    railTransactionId: '',
    ...over,
  };
}

/** The row that a rail makes of a payment. */
export function rowOf({ keys, amountSen, direction, fromMs }: OurPayment, over: Partial<HistoryRow> = {}): HistoryRow {
  const remark = `TRSF ${keys[0]} E-BANKING`;
  return { atMs: fromMs, amountSen, direction, status: 'booked', remark, railTransactionId: '', ...over };
}

/** What takes a payment back. */
export function correctionOf(payment: OurPayment, time: string): HistoryRow {
  return rowOf(payment, { direction: payment.direction === 'in' ? 'out' : 'in', status: 'correction', atMs: at(time) });
}

/** A rail and a service in memory; `payments` and `rows` may change between runs. */
export function memoryRail(payments: OurPayment[], rows: HistoryRow[], over: Partial<ReconciledRail> = {}): ReconciledRail {
  const isIn = ({ fromMs, toMs }: Period, ms: number) => ms >= fromMs && ms < toMs;
  return {
    name: 'bank',
    moves: 'out',
    history: {
      sliceMs: 3_600_000,
      async *list(period) {
        yield* rows.filter(({ atMs }) => isIn(period, atMs)).sort((a, b) => b.atMs - a.atMs);
      },
      close: async () => {},
    },
    async *payments(period, filter) {
      const found = payments.filter(({ fromMs }) => isIn(period, fromMs)).sort((a, b) => a.fromMs - b.fromMs);
      for (const payment of found) {
        if (filter === undefined || filter.amountsSen.includes(payment.amountSen)) yield { payment, readToMs: payment.fromMs };
      }
    },
    ...over,
  };
}
