import { decodeQris, isRefusal } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { Rail } from '../control/behaviours.ts';
import type { MoneyInRail } from '../money-in/rail.ts';
import { type Between, type HistoryName, newRow, type Row } from './row.ts';

/** The rail whose behaviour a history has. */
export const RAIL_OF: Readonly<Record<HistoryName, Rail>> = {
  'bank-transfer': 'bank-transfer',
  'ewallet-topup': 'ewallet',
  cardless: 'cardless',
  'qris-issuer': 'qris',
  va: 'va',
  qris: 'qris',
  ewallet: 'ewallet',
  retail: 'retail',
};

/** What the books have of a history, in any order: what they believe, which tests may change afterwards. */
export async function rowsOf(context: Context, name: HistoryName, between: Between): Promise<Row[]> {
  switch (name) {
    case 'bank-transfer':
      return payouts(context, 'bank-transfer', 'TRSF', between);
    case 'ewallet-topup':
      return payouts(context, 'ewallet', 'TOPUP', between);
    case 'cardless':
      return withdrawals(context, between);
    case 'qris-issuer':
      return codesPaid(context, between);
    case 'va':
    case 'qris':
    case 'ewallet':
    case 'retail':
      return receipts(context, name, between);
    default:
      return name satisfies never;
  }
}

async function payouts({ books }: Context, rail: Rail, word: string, { fromMs, toMs }: Between): Promise<Row[]> {
  const settled = await books.between(rail, 'settled', fromMs, toMs);
  const reversed = await books.between(rail, 'reversed', fromMs, toMs);
  const rowOf = (entry: (typeof settled)[number], of: Pick<Row, 'atMs' | 'direction' | 'status'>) => {
    const source = `${rail}:${entry.partnerReference}:${of.status}`;
    const words = [of.status === 'correction' ? 'KOREKSI' : word, entry.bankCode, entry.accountNumber, entry.remark];
    return newRow(source, words, { ...of, amountSen: entry.amountSen });
  };
  return [
    ...settled.map((entry) => rowOf(entry, { atMs: entry.settlesAtMs, direction: 'out', status: STATUS[entry.status] })),
    ...reversed.map((entry) => rowOf(entry, { atMs: entry.reversedAtMs ?? 0, direction: 'in', status: 'correction' })),
  ];
}

/** What came back was booked before. */
const STATUS = { success: 'booked', reversed: 'booked', failed: 'canceled', canceled: 'canceled', pending: 'open' } as const;

async function withdrawals({ withdrawals: store }: Context, { fromMs, toMs }: Between): Promise<Row[]> {
  const drawn = await store.drawnBetween(fromMs, toMs);
  return drawn.map(({ reference, phoneNumber, amountSen, withdrawnAtMs = 0 }) =>
    newRow(`cardless:${reference}`, ['TARIK TUNAI', phoneNumber], {
      atMs: withdrawnAtMs,
      amountSen,
      direction: 'out',
      status: 'booked',
    }),
  );
}

async function codesPaid({ qrisBooks }: Context, { fromMs, toMs }: Between): Promise<Row[]> {
  const settled = await qrisBooks.between('settled', fromMs, toMs);
  const reversed = await qrisBooks.between('reversed', fromMs, toMs);
  const rowOf = (entry: (typeof settled)[number], of: Pick<Row, 'atMs' | 'direction' | 'status'>) => {
    const words = [of.status === 'correction' ? 'KOREKSI QRIS' : 'QRIS', entry.rrn, merchantNameIn(entry.payload)];
    return newRow(`qris-issuer:${entry.partnerReference}:${of.status}`, words, { ...of, amountSen: entry.amountSen });
  };
  return [
    ...settled.map((entry) => rowOf(entry, { atMs: entry.settlesAtMs, direction: 'out', status: STATUS[entry.status] })),
    ...reversed.map((entry) => rowOf(entry, { atMs: entry.reversedAtMs ?? 0, direction: 'in', status: 'correction' })),
  ];
}

/** A rail has the money of a payment that its partner has not acknowledged yet. */
async function receipts(context: Context, rail: MoneyInRail, { fromMs, toMs }: Between): Promise<Row[]> {
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

function merchantNameIn(payload: string): string {
  const code = decodeQris(payload);
  return isRefusal(code) ? '' : code.merchantName;
}
