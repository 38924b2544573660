import type { RailHistory } from '@gerbang/rails';
import type { ReconciledRail } from '@gerbang/reconciliation';
import { CARD } from '../context.ts';
import type { PaymentStore } from '../payment/store.ts';
import { readCaptures, readRefunds } from './payments.ts';

type Options = { payments: Pick<PaymentStore, 'listMoved'>; nowMs: () => number; openHistory: () => RailHistory };

/**
 * What is compared with the acquirer's books: captures, and refunds apart from them. A refund may come months after its capture,
 * when the day of the capture is not looked at any more.
 */
export function reconciledRails({ payments, nowMs, openHistory }: Options): ReconciledRail[] {
  const reading = { listMoved: payments.listMoved, nowMs };
  return [
    {
      name: CARD,
      moves: 'in',
      history: openHistory(),
      payments: (period, filter) => readCaptures(reading, period, filter?.amountsSen),
    },
    {
      name: 'card-refund',
      moves: 'out',
      history: openHistory(),
      payments: (period, filter) => readRefunds(reading, period, filter?.amountsSen),
    },
  ];
}
