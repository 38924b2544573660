import type { Context } from '../context.ts';
import type { Between, HistoryName, Row } from './row.ts';
import { rowsOf } from './rows.ts';

/** A history as the rail tells it, newest first. */
export async function readHistory(context: Context, name: HistoryName, between: Between): Promise<Row[]> {
  const rows = await context.historyChanges.apply(name, await rowsOf(context, name, between), between);
  return rows.sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? -1 : 1));
}
