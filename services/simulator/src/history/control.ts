import { parseAmount, toMoney } from '@gerbang/core';
import { z } from 'zod';
import { ControlError, read, readJson } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import { HISTORIES, isHistory, readHistory } from './read.ts';
import type { HistoryName, Row } from './row.ts';

const params = z.object({ rail: z.string().refine(isHistory) });
const rowParams = params.extend({ id: z.string().min(1).max(64) });
const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const query = z.object({ from: moment, to: moment });
const amountSen = z.object({ value: z.string(), currency: z.literal('IDR') }).transform(({ value }, context) => {
  const sen = parseAmount(value);
  if (sen !== undefined) return sen;
  context.addIssue('expected an amount in rupiah');
  return z.NEVER;
});
const fields = {
  amount: amountSen,
  status: z.enum(['booked', 'correction', 'open', 'canceled']),
  remark: z.string().max(256),
};
const newRow = z.strictObject({
  ...fields,
  status: fields.status.default('booked'),
  at: moment,
  direction: z.enum(['in', 'out']),
});
const change = z.strictObject({
  amount: fields.amount.optional(),
  status: fields.status.optional(),
  remark: fields.remark.optional(),
});

/** GET /sandbox/history/{rail}?from&to → `{items: [row]}`, newest first: what the rail tells of that time. */
export const showHistory: Handler = async (context, request) => {
  const { from: fromMs, to: toMs } = read(query, request.query);
  const rows = await readHistory(context, nameOf(request.params), { fromMs, toMs });
  return { items: rows.map(toJson) };
};

/** POST /sandbox/history/{rail}/rows `{at, amount, direction, status?, remark}` → the row: the rail tells one more. */
export const addRow: Handler = async ({ historyChanges }, request) => {
  const { at: atMs, amount, ...row } = read(newRow, readJson(request));
  return toJson(await historyChanges.add(nameOf(request.params), { atMs, amountSen: amount, ...row }));
};

/** PATCH /sandbox/history/{rail}/rows/{id} `{amount?, status?, remark?}`: the rail tells it so. */
export const changeRow: Handler = async ({ historyChanges }, request) => {
  const { rail, id } = rowOf(request.params);
  const { amount, status, remark } = read(change, readJson(request));
  await historyChanges.change(rail, id, {
    ...(amount !== undefined && { amountSen: amount }),
    ...(status !== undefined && { status }),
    ...(remark !== undefined && { remark }),
  });
  return { id };
};

/** DELETE /sandbox/history/{rail}/rows/{id}: the rail does not tell it any more. */
export const dropRow: Handler = async ({ historyChanges }, request) => {
  const { rail, id } = rowOf(request.params);
  await historyChanges.drop(rail, id);
  return { id };
};

/** DELETE /sandbox/history/{rail}: the rail tells what its books have again. */
export const forgetChanges: Handler = async ({ historyChanges }, request) => {
  const rail = nameOf(request.params);
  await historyChanges.forget(rail);
  return { rail };
};

function nameOf(value: unknown): HistoryName {
  const parsed = params.safeParse(value);
  if (parsed.success) return parsed.data.rail;
  throw new ControlError(404, `There is no such history. Histories: ${HISTORIES.join(', ')}.`);
}

function rowOf(value: unknown): { rail: HistoryName; id: string } {
  const parsed = rowParams.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ControlError(404, 'There is no such history or row');
}

function toJson({ id, atMs, amountSen, direction, status, remark }: Row): object {
  return { id, at: new Date(atMs).toISOString(), amount: toMoney(amountSen), direction, status, remark };
}
