import type { DisableOperatorRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { parse } from '../../operator/input.ts';
import { changeOperator } from '../change-operator.ts';
import { operatorId } from '../input.ts';
import { toMessage } from '../message.ts';

/** Disables an operator for good. Refusals: validation, not_found, bad_request. */
export async function disableOperator(context: Context, request: DisableOperatorRequest, call: OperatorCall) {
  const { id } = parse({ id: operatorId }, request);
  const operator = await changeOperator(context, id, { active: false }, call);
  context.metrics.commanded('operator.disable');
  return { operator: toMessage(operator) };
}
