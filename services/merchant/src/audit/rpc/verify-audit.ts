import type { VerifyAuditRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { parse } from '../../operator/input.ts';
import { verifyCheckpoints, verifyLog } from '../verify.ts';

const CHECKPOINTS_MAX = 1_000;

const checkpoint = z.object({
  log: z.string(),
  seq: z.string().regex(/^\d{1,12}$/, 'must be a number'),
  mac: z.string(),
  at: z.string(),
  kid: z.string(),
  signature: z.string(),
});

/** Whether the log is as it was written, and has what the checkpoints of the log stream say. Refusals: validation. */
export async function verifyAudit(context: Context, request: VerifyAuditRequest) {
  const { checkpoints, checkpointsOnly } = parse(
    { checkpoints: z.array(checkpoint).max(CHECKPOINTS_MAX, `must be at most ${CHECKPOINTS_MAX}`), checkpointsOnly: z.boolean() },
    request,
  );
  const found = await verifyCheckpoints(context.audit, checkpoints);
  if (checkpointsOnly) return { problems: found.problems, genuineCheckpoints: found.genuine };
  const { problems, entries, legacyEntries } = await verifyLog(context.audit);
  return { problems: [...problems, ...found.problems], entries, legacyEntries, genuineCheckpoints: found.genuine };
}
