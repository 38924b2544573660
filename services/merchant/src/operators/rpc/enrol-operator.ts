import { RefusalError, refuse, refuseField } from '@gerbang/core';
import type { EnrolOperatorRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { parse } from '../../operator/input.ts';
import { newOperator, role } from '../input.ts';
import { toMessage } from '../message.ts';
import { describeOperator, type Identity, type Operator } from '../operator.ts';

/** Enrols one more operator. Refusals: validation, bad_request (the id, the key or the subject is taken). */
export async function enrolOperator(context: Context, request: EnrolOperatorRequest, call: OperatorCall) {
  const input = parse({ operator: newOperator, role }, request);
  const { id, name } = input.operator;
  const operator: Operator = {
    id,
    name,
    role: input.role,
    active: true,
    identity: identityOf(context, input.operator),
    enrolledBy: call.operator.id,
    enrolledAtMs: context.realNow(),
  };
  call.record({ target: `operator:${operator.id}`, after: describeOperator(operator) });
  const isTaken = (await context.operators.find(operator.id)) !== undefined;
  if (isTaken || !(await context.operators.insert(operator))) {
    throw new RefusalError(refuse('bad_request', { message: 'there is an operator with this id, this key or this subject' }));
  }
  context.metrics.commanded('operator.enrol');
  return { operator: toMessage(operator) };
}

function identityOf({ provider }: Context, { publicKey, oidcSubject }: { publicKey: string; oidcSubject: string }): Identity {
  if ((publicKey === '') === (oidcSubject === '')) {
    throw new RefusalError(refuseField('operator.public_key', 'must be given, or a subject in its place'));
  }
  if (oidcSubject === '') return { by: 'key', publicKey };
  if (provider === undefined) {
    throw new RefusalError(refuseField('operator.oidc_subject', 'needs an OpenID provider: OPERATOR_OIDC_ISSUER is not set'));
  }
  return { by: 'provider', issuer: provider.issuer, subject: oidcSubject };
}
