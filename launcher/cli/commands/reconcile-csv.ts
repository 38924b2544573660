import { formatSen } from '@gerbang/core';
import type { Difference } from '@gerbang/proto/gerbang/reconciliation/v1/reconciliation';
import { toIso } from '../values.ts';

type Side = { atMs: bigint; direction: string; amountSen: bigint; status: string };

const HEADER = [
  'id',
  'rail',
  'day',
  'kind',
  'reason',
  'state',
  'our_time',
  'our_direction',
  'our_amount',
  'our_status',
  'merchant_id',
  'account_id',
  'reference',
  'payment_id',
  'our_rail_reference',
  'rail_time',
  'rail_direction',
  'rail_amount',
  'rail_status',
  'rail_remark',
  'rail_transaction_id',
  'explained_by',
  'note',
];

/** Differences as lines of CSV (RFC 4180) with a header, both sides on one line; amounts are rupiah. */
export function toCsv(items: readonly Difference[]): string[] {
  return [HEADER, ...items.map(toFields)].map((fields) => fields.map(quote).join(','));
}

function toFields({ id, rail, day, kind, reason, state, ours, row, explainedBy, note }: Difference): string[] {
  return [
    ...[id, rail, day, kind, reason, state],
    ...sideOf(ours),
    ...[ours?.merchantId, ours?.accountId, ours?.reference, ours?.paymentId, ours?.railReference].map((text) => text ?? ''),
    ...sideOf(row),
    ...[row?.remark, row?.railTransactionId].map((text) => text ?? ''),
    ...[explainedBy, note],
  ];
}

function sideOf(side: Side | undefined): string[] {
  return side === undefined ? ['', '', '', ''] : [toIso(side.atMs), side.direction, formatSen(side.amountSen), side.status];
}

/** Spreadsheets take a field that begins with these for a formula; a remark comes from strangers. */
const FORMULA = /^[=+\-@\t\r]/;

function quote(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
