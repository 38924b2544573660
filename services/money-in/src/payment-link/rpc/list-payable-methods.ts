import type { Context } from '../../context.ts';
import { offeredMethods } from '../payment-methods.ts';

/** The methods by which customers can pay links here. */
export async function listPayableMethods({ kinds }: Pick<Context, 'kinds'>) {
  return { codes: offeredMethods(kinds.methods) };
}
