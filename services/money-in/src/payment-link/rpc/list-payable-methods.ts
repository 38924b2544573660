import type { Context } from '../../context.ts';
import { payableMethods } from '../payable-methods.ts';

/** The methods by which customers can pay links here. */
export async function listPayableMethods({ vaSeries }: Pick<Context, 'vaSeries'>) {
  return { codes: payableMethods(vaSeries) };
}
