import type { Handler } from '../http/visit.ts';
import { remainingMs } from '../status/phase.ts';
import { streamStatus } from '../status/stream.ts';
import { sessionOf } from './references.ts';
import { phaseOf } from './session.ts';

/** GET /pay/{reff_no}/{session}/events: how the session stands, live. */
export const followSession: Handler = async (context, request, reply) => {
  const { history } = await sessionOf(context, request.params);
  return streamStatus(context, request, reply, {
    reference: history.reffNo,
    first: history,
    watch: context.sessions,
    standingOf(now) {
      const nowMs = context.clock.now();
      return { phase: phaseOf(now, nowMs), remainingMs: remainingMs(now, nowMs) };
    },
  });
};
