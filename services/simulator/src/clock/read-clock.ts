import { z } from 'zod';
import { read } from '../control/json.ts';
import type { Handler } from '../handler.ts';

const WAIT_MAX_MS = 30_000;

const query = z.object({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  wait_ms: z.coerce.number().int().min(0).max(WAIT_MAX_MS).default(WAIT_MAX_MS),
});

/**
 * GET /sandbox/clock → `{now, offset_ms}`, Unix milliseconds (contract §11). With `after` it is a long poll: answers once the
 * offset is greater than `after`, or after `wait_ms`; and it tells the clock that this offset has been taken.
 */
export const readClock: Handler = async (context, request) => {
  const { after, wait_ms: waitMs } = read(query, request.query);
  if (after !== undefined && context.clock.offsetMs() <= after) await context.followers.wait(request.raw.socket, after, waitMs);
  return { now: context.clock.now(), offset_ms: context.clock.offsetMs() };
};
