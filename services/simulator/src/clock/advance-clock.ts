import { z } from 'zod';
import { ControlError, read, readJson } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import { OFFSET_MAX_MS } from './offset-store.ts';

/** How long an advance waits for the services to take it. */
const PATIENCE_MS = 1_000;

const schema = z.object({ ms: z.number().int().positive().max(OFFSET_MAX_MS) });

/**
 * POST /sandbox/clock/advance `{ms}` → `{now, offset_ms}` (contract §11). The new offset is durable before anyone sees it;
 * the answer comes when every service that followed the clock has taken it, or after a second. Refuses more than ten years in
 * all.
 */
export const advanceClock: Handler = async (context, request) => {
  const { ms } = read(schema, readJson(request));
  const offsetMs = await context.offsets.advance(ms);
  if (offsetMs === undefined)
    throw new ControlError(422, 'ms: the clock goes ten years ahead at the most', { ms: ['too far ahead'] });
  context.clock.setOffset(offsetMs);
  const missing = await context.followers.notify(offsetMs, PATIENCE_MS);
  context.log.info({ offset_ms: offsetMs, followers_missing: missing }, 'the clock has advanced');
  return { now: context.clock.now(), offset_ms: context.clock.offsetMs() };
};
