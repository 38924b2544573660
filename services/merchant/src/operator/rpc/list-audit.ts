import type { ListAuditRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { parse } from '../input.ts';

const LIMIT = 100;
const LIMIT_MAX = 1_000;

/** The newest entries of the audit log, newest first, and whether its chain is unbroken. Refusals: validation. */
export async function listAudit(context: Context, request: ListAuditRequest) {
  const { limit } = parse(
    { limit: z.int().min(0, 'must not be negative').max(LIMIT_MAX, `must be at most ${LIMIT_MAX}`) },
    request,
  );
  const { records, intact } = await context.audit.list(limit === 0 ? LIMIT : limit);
  return {
    entries: records.map(({ at, ...record }) => ({ ...record, atMs: BigInt(at.getTime()) })),
    chainIntact: intact,
  };
}
