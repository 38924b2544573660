import type { Context } from '../context.ts';
import type { Rail } from '../control/behaviours.ts';
import { RAILS } from '../rails.ts';
import type { Between, HistoryName, Row } from './row.ts';

/** Every history that the rails tell. */
export const HISTORIES: readonly HistoryName[] = RAILS.flatMap(({ histories = {} }) => Object.keys(histories));

export function isHistory(name: string): boolean {
  return HISTORIES.includes(name);
}

/** A history as the rail tells it, newest first: what its books have, changed as tests want it. */
export async function readHistory(context: Context, name: HistoryName, between: Between): Promise<Row[]> {
  const booked = await historyOf(name).rows(context, between);
  const rows = await context.historyChanges.apply(name, booked, between);
  return rows.sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? -1 : 1));
}

/** The rail whose behaviour a history has. */
export function railOfHistory(name: HistoryName): Rail {
  return historyOf(name).rail;
}

function historyOf(name: HistoryName) {
  const history = RAILS.find(({ histories }) => histories?.[name] !== undefined)?.histories?.[name];
  if (history === undefined) throw new Error(`no rail tells the history ${name}`);
  return history;
}
