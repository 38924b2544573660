import { RefusalError, refuse } from '@gerbang/core';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { toMessage } from '../message.ts';

/** All operators, also those that are disabled. */
export async function listOperators(context: Context) {
  return { operators: (await context.operators.list()).map(toMessage) };
}

/** Whose token came with the call; with the role that it gives, which may be less than the operator's own. */
export async function whoAmI(context: Context, call: OperatorCall) {
  const operator = await context.operators.find(call.operator.id);
  if (operator === undefined) throw new RefusalError(refuse('not_found'));
  return { operator: { ...toMessage(operator), role: call.operator.role } };
}
