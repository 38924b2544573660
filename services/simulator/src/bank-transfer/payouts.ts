import { toMoney } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { Rail } from '../control/behaviours.ts';
import { type Between, newRow, type Row } from '../history/row.ts';
import type { BookItem } from '../simulated-rail.ts';

/** Every payment that was made over a rail of these books. */
export async function* payouts({ books }: Context, rail: Rail): AsyncGenerator<BookItem> {
  for await (const entry of books.all(rail)) {
    yield {
      reference_number: entry.merchantReference,
      transaction_id: entry.transactionId,
      direction: 'out',
      amount: toMoney(entry.amountSen),
      status: entry.status,
    };
  }
}

/** The same as the rail tells them; `word` begins what it says of each. */
export async function tellPayouts({ books }: Context, rail: Rail, word: string, { fromMs, toMs }: Between): Promise<Row[]> {
  const settled = await books.between(rail, 'settled', fromMs, toMs);
  const reversed = await books.between(rail, 'reversed', fromMs, toMs);
  const rowOf = (entry: (typeof settled)[number], of: Pick<Row, 'atMs' | 'direction' | 'status'>) => {
    const source = `${rail}:${entry.partnerReference}:${of.status}`;
    const words = [of.status === 'correction' ? 'KOREKSI' : word, entry.bankCode, entry.accountNumber, entry.remark];
    return newRow(source, words, { ...of, amountSen: entry.amountSen });
  };
  return [
    ...settled.map((entry) => rowOf(entry, { atMs: entry.settlesAtMs, direction: 'out', status: TOLD_AS[entry.status] })),
    ...reversed.map((entry) => rowOf(entry, { atMs: entry.reversedAtMs ?? 0, direction: 'in', status: 'correction' })),
  ];
}

/** How a history tells a payment: what came back was booked before. */
export const TOLD_AS = {
  success: 'booked',
  reversed: 'booked',
  failed: 'canceled',
  canceled: 'canceled',
  pending: 'open',
} as const satisfies Record<string, Row['status']>;
