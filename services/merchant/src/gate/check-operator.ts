import type { CheckOperatorRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { Context } from '../context.ts';
import { fromRoleMessage } from '../operators/message.ts';

/** Whether the operator may still give a command of these roles; false where there is no such operator. */
export async function checkOperator({ operators }: Pick<Context, 'operators'>, { id, roles }: CheckOperatorRequest) {
  const found = await operators.find(id);
  return { allowed: found?.active === true && roles.some((role) => fromRoleMessage(role) === found.role) };
}
