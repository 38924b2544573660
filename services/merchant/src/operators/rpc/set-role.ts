import type { SetRoleRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { parse } from '../../operator/input.ts';
import { changeOperator } from '../change-operator.ts';
import { operatorId, role } from '../input.ts';
import { toMessage } from '../message.ts';

/** Gives an operator another role. Refusals: validation, not_found, bad_request. */
export async function setRole(context: Context, request: SetRoleRequest, call: OperatorCall) {
  const input = parse({ id: operatorId, role }, request);
  const operator = await changeOperator(context, input.id, { role: input.role }, call);
  context.metrics.commanded('operator.role');
  return { operator: toMessage(operator) };
}
