import type { Context } from '../context.ts';
import { type Between, newRow, type Row } from '../history/row.ts';
import type { Authorisation } from './authorisations.ts';
import { cardAcquirerOf } from './open.ts';

/** The name that reconciliation has for the acquirer's books. */
export const HISTORY = 'card';

/** What was captured, refunded and voided in a time, by our reference. */
export async function tellMovements(context: Context, { fromMs, toMs }: Between): Promise<Row[]> {
  const { authorisations } = await cardAcquirerOf(context);
  const rows: Row[] = [];
  for await (const authorisation of authorisations.all())
    rows.push(...movementsOf(authorisation).filter(({ atMs }) => atMs >= fromMs && atMs < toMs));
  return rows;
}

function movementsOf({ reference, amountSen, capturedAtMs, voidedAtMs, refund }: Authorisation): Row[] {
  const row = (what: string, atMs: number | undefined, fields: Pick<Row, 'direction' | 'status'>) =>
    atMs === undefined ? [] : [newRow(`card:${what}:${reference}`, [reference], { atMs, amountSen, ...fields })];
  return [
    ...row('capture', capturedAtMs, { direction: 'in', status: 'booked' }),
    ...row('void', voidedAtMs, { direction: 'in', status: 'canceled' }),
    ...row('refund', refund?.atMs, { direction: 'out', status: 'correction' }),
  ];
}
