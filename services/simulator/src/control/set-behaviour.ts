import type { Handler } from '../handler.ts';
import { behaviourSchema, railOf } from './behaviours.ts';
import { read, readJson } from './json.ts';

/**
 * PUT /sandbox/rails/{rail} `{outcome?, latency_ms?, error_rate?}` → the behaviour as it is now, in place of the one before
 * (contract §11).
 */
export const setBehaviour: Handler = async (context, request) => {
  const rail = railOf(request.params);
  const behaviour = read(behaviourSchema, readJson(request));
  await context.behaviours.set(rail, behaviour);
  context.log.info({ rail, behaviour }, 'a rail behaves differently now');
  return { rail, ...behaviour };
};
