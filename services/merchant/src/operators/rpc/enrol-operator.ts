import { RefusalError, refuse } from '@gerbang/core';
import { CLI_ISSUER } from '@gerbang/neighbours';
import type { EnrolOperatorRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { parse } from '../../operator/input.ts';
import { newOperator, role } from '../input.ts';
import { toMessage } from '../message.ts';
import { describeOperator, type Operator } from '../operator.ts';

/** Enrols one more operator. Refusals: validation, bad_request (the id or the key is taken). */
export async function enrolOperator(context: Context, request: EnrolOperatorRequest, call: OperatorCall) {
  const input = parse({ operator: newOperator, role }, request);
  const operator: Operator = {
    ...input.operator,
    role: input.role,
    active: true,
    issuer: CLI_ISSUER,
    enrolledBy: call.operator.id,
    enrolledAtMs: context.realNow(),
  };
  call.record({ target: `operator:${operator.id}`, after: describeOperator(operator) });
  const isTaken = (await context.operators.find(operator.id)) !== undefined;
  if (isTaken || !(await context.operators.insert(operator))) {
    throw new RefusalError(refuse('bad_request', { message: 'there is an operator with this id or this key' }));
  }
  context.metrics.commanded('operator.enrol');
  return { operator: toMessage(operator) };
}
