import { toMoney } from '@gerbang/core';
import type { Context } from '../context.ts';
import { type Between, newRow, type Row } from '../history/row.ts';
import type { BookItem } from '../simulated-rail.ts';
import type { MoneyInRail } from './rail.ts';

/** Every payment that a rail has taken, then all that it has given back. */
export async function* receipts(context: Context, rail: MoneyInRail): AsyncGenerator<BookItem> {
  for await (const { railReference, requestReference, number, amountSen, status } of context.receipts.all(rail)) {
    yield {
      reference_number: railReference,
      transaction_id: requestReference || number,
      direction: 'in',
      amount: toMoney(amountSen),
      status,
    };
  }
  for await (const { reference, railReference, amountSen } of context.refunds.all(rail)) {
    yield {
      reference_number: reference,
      transaction_id: railReference,
      direction: 'out',
      amount: toMoney(amountSen),
      status: 'success',
    };
  }
}

/** The same as the rail tells them. It has the money of a payment that its partner has not acknowledged yet. */
export async function tellReceipts(context: Context, rail: MoneyInRail, { fromMs, toMs }: Between): Promise<Row[]> {
  const paid = await context.receipts.paidBetween(rail, fromMs, toMs);
  const refunded = await context.refunds.givenBetween(rail, fromMs, toMs);
  const numbers = rail === 'va' || rail === 'retail';
  return [
    ...paid.map(({ railReference, number, amountSen, paidAtMs, status }) =>
      newRow(`${rail}:${railReference}`, [WORDS[rail], numbers ? number : railReference.slice(-12)], {
        atMs: paidAtMs,
        amountSen,
        direction: 'in',
        status: status === 'failed' || status === 'canceled' ? 'canceled' : 'booked',
      }),
    ),
    ...refunded.map(({ railReference, reference, amountSen, givenAtMs = 0 }) =>
      newRow(`${rail}:${reference}:refund`, ['REFUND', railReference.slice(-12)], {
        atMs: givenAtMs,
        amountSen,
        direction: 'out',
        status: 'correction',
      }),
    ),
  ];
}

const WORDS: Readonly<Record<MoneyInRail, string>> = { va: 'VA', qris: 'QRIS', ewallet: 'PAYMENT', retail: 'SETOR TUNAI' };
