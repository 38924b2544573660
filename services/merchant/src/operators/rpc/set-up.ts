import { canonicalJson, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { SetUpRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { CallContext } from '@gerbang/rpc';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { parse } from '../../operator/input.ts';
import { firstAdmin } from '../input.ts';
import { toMessage } from '../message.ts';
import { describeOperator, type Operator } from '../operator.ts';

const METHOD = '/gerbang.operator.v1.OperatorAdminService/SetUp';
const admins = z.array(firstAdmin).length(2, 'must be two');

/**
 * Enrols the first two admins, once; the same set-up again completes one that was cut off. It takes no token, because no operator has
 * one before it. Refusals: validation, forbidden (there was a set-up).
 */
export async function setUp(context: Context, request: SetUpRequest, call: CallContext) {
  const input = parse({ admins }, request);
  const [first, second] = input.admins;
  if (first === undefined || second === undefined) throw new Error('a set-up without two admins');
  if (first.id === second.id || first.publicKey === second.publicKey) {
    throw new RefusalError(refuseField('admins', 'must be two persons, each with a key'));
  }
  const command = context.newId(context.realNow());
  const source = call.caller === undefined ? call.peer : `${call.peer} ${call.caller}`;
  const about = { command, service: 'merchant', method: METHOD, source };
  if (!(await context.operators.claimSetUp([first, second].map(({ id, publicKey }) => `${id} ${publicKey}`)))) {
    const refusal = { refusal: 'forbidden', reason: 'operators are set up already' };
    await context.audit.append({ ...about, ...refusal, outcome: 'refused' });
    throw new RefusalError(refuse('forbidden', { message: 'operators are set up already; an admin enrols others' }));
  }
  const given = [first, second].map((admin) => newAdmin(admin, context.realNow()));
  await context.audit.append({ ...about, kind: 'begin' });
  const enrolled: Operator[] = [];
  for (const operator of given) {
    if (!(await context.operators.insert(operator))) throw new Error(`the id or key of ${operator.id} is taken`);
    // After an earlier set-up it is as that one or a later command has left it, also where this one gives another name.
    enrolled.push((await context.operators.find(operator.id)) ?? operator);
  }
  const after = canonicalJson({ admins: enrolled.map(describeOperator) });
  await context.audit.append({ command, kind: 'end', outcome: 'done', target: 'operators', after });
  context.metrics.commanded('operator.set-up');
  return { admins: enrolled.map(toMessage) };
}

function newAdmin({ id, name, publicKey }: z.output<typeof firstAdmin>, nowMs: number): Operator {
  const identity = { by: 'key', publicKey } as const;
  return { id, name, role: 'admin', active: true, identity, enrolledBy: '', enrolledAtMs: nowMs };
}
