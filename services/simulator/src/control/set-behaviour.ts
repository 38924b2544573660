import type { Handler } from '../handler.ts';
import { behaviourSchema, railOf } from './behaviours.ts';
import { ControlError, read, readJson } from './json.ts';

/**
 * PUT /sandbox/rails/{rail} `{outcome?, failed_case?, latency_ms?, error_rate?}` → the behaviour as it is now, in place of the one
 * before (contract §11).
 */
export const setBehaviour: Handler = async (context, request) => {
  const rail = railOf(request.params);
  const behaviour = read(behaviourSchema, readJson(request));
  if (behaviour.failed_case !== undefined && rail !== 'bank-transfer') {
    throw new ControlError(422, 'failed_case: the rail has its usual case only', { failed_case: ['is of bank-transfer only'] });
  }
  await context.behaviours.set(rail, behaviour);
  context.log.info({ rail, ...behaviour }, 'a rail behaves differently now');
  return { rail, ...behaviour };
};
