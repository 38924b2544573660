import { create } from '@bufbuild/protobuf';
import { DifferenceSchema } from '@gerbang/proto/gerbang/reconciliation/v1/reconciliation';
import { expect, test } from 'vitest';
import { toCsv } from '../cli/commands/reconcile-csv.ts';

test('differences as CSV have both sides on one line, and no formula', () => {
  const row = { railTransactionId: 'B1', direction: 'out', amountSen: 5_00n, atMs: 0n, status: 'booked', remark: '=1+1, "x"' };
  const difference = create(DifferenceSchema, { id: 'va:2026-11-21:missing-here:1', rail: 'va', day: '2026-11-21', row });
  const [header = '', line = ''] = toCsv([difference]);
  expect(header.split(',')).toContain('rail_remark');
  expect(line).toBe(
    `va:2026-11-21:missing-here:1,va,2026-11-21,,,,,,,,,,,,,1970-01-01T00:00:00.000Z,out,5.00,booked,"'=1+1, ""x""",B1,,`,
  );
  expect(toCsv([])).toEqual([header]);
});
