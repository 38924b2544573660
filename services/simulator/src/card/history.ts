import { toMoney } from '@gerbang/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { readHistory } from '../history/read.ts';
import { type Between, newRow, type Row } from '../history/row.ts';
import type { Authorisation } from './authorisations.ts';
import { cardAcquirerOf } from './open.ts';
import { refusal, signed } from './signed.ts';

/** The name that reconciliation has for the acquirer's books. */
export const HISTORY = 'card';

const ROWS_MAX = 500;
const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const query = z.object({
  from: moment,
  to: moment,
  limit: z.coerce.number().int().min(1).max(ROWS_MAX).default(100),
  /** The id of the last row of the page before. */
  cursor: z.string().max(64).optional(),
});

const TYPES = { booked: 'capture', correction: 'refund', canceled: 'void', open: 'pending' } as const;

/** GET /card/v1/history?from&to&limit&cursor: the acquirer's books of a time, newest first, page by page. */
export const showHistory = signed(z.object({}), async (context, { query: given }) => {
  const asked = query.safeParse(given);
  if (!asked.success) return refusal(422, 'invalid_request', 'A parameter is wrong');
  const { from: fromMs, to: toMs, limit, cursor } = asked.data;
  const rows = await readHistory(context, HISTORY, { fromMs, toMs });
  const first = cursor === undefined ? 0 : rows.findIndex(({ id }) => id === cursor) + 1;
  if (cursor !== undefined && first === 0) return refusal(422, 'invalid_request', 'The cursor is of no row');
  const page = rows.slice(first, first + limit);
  const last = first + limit < rows.length ? page.at(-1) : undefined;
  return { http: 200, body: { items: page.map(toItem), next_cursor: last?.id ?? null } };
});

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

function toItem({ id, atMs, amountSen, status, remark }: Row): object {
  return { id, type: TYPES[status], reference: remark, amount: toMoney(amountSen), at: new Date(atMs).toISOString() };
}
