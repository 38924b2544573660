import { toMoney } from '@gerbang/core';
import { z } from 'zod';
import { readHistory } from '../history/read.ts';
import type { Row } from '../history/row.ts';
import { HISTORY } from './movements.ts';
import { refusal, signed } from './signed.ts';

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

function toItem({ id, atMs, amountSen, status, remark }: Row): object {
  return { id, type: TYPES[status], reference: remark, amount: toMoney(amountSen), at: new Date(atMs).toISOString() };
}
