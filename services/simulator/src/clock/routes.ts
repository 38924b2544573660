import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { invalid } from '../invalid.ts';

const WAIT_MAX_MS = 30_000;
const TOTAL_MAX_MS = 10 * 365 * 24 * 3_600_000;
/** An advance waits this long for the services to take it. */
const PATIENCE_MS = 1_000;

const query = z.object({
  after: z.coerce.number().int().min(0).optional(),
  wait_ms: z.coerce.number().int().min(0).max(WAIT_MAX_MS).default(WAIT_MAX_MS),
});
const advance = z.object({ ms: z.number().int().positive() });

/** GET /sandbox/clock, also as a long poll, and POST /sandbox/clock/advance (contract §11). */
export function clockRoutes(app: FastifyInstance, context: Context): void {
  const answer = () => ({ now: context.clock.now(), offset_ms: context.clock.offsetMs() });

  app.get('/sandbox/clock', async (request, reply) => {
    const parsed = query.safeParse(request.query);
    if (!parsed.success) return invalid(reply, parsed.error);
    const { after, wait_ms: waitMs } = parsed.data;
    if (after !== undefined && context.clock.offsetMs() <= after) {
      const gone = new AbortController();
      request.raw.once('close', () => gone.abort());
      await context.followers.wait(after, waitMs, gone.signal);
    }
    return answer();
  });

  app.post('/sandbox/clock/advance', async (request, reply) => {
    const parsed = advance.safeParse(request.body);
    if (!parsed.success) return invalid(reply, parsed.error);
    if (context.clock.offsetMs() + parsed.data.ms > TOTAL_MAX_MS) {
      return reply
        .code(422)
        .send({ message: 'ms: the clock runs ahead ten years at the most', errors: { ms: ['too far ahead'] } });
    }
    const offsetMs = await context.offsets.advance(parsed.data.ms);
    context.clock.setOffset(offsetMs);
    await context.followers.announce(offsetMs, PATIENCE_MS);
    return answer();
  });
}
