import type { Handler } from '../handler.ts';
import { railOf } from './behaviours.ts';

/** DELETE /sandbox/rails/{rail}: the rail behaves by itself again (contract §11). */
export const clearBehaviour: Handler = async (context, request) => {
  const rail = railOf(request.params);
  await context.behaviours.clear(rail);
  context.log.info({ rail }, 'a rail behaves by itself again');
  return { rail };
};
