import { createHash } from 'node:crypto';
import { type RefusalCode, RefusalError, refuse } from '@gerbang/core';
import type { BeginRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { EntryContent, Outcome } from '../audit/entry.ts';
import type { Context } from '../context.ts';
import { fromRoleMessage, toMessage } from '../operators/message.ts';
import type { Operator } from '../operators/operator.ts';
import { approve } from './approve.ts';
import { authenticate } from './authenticate.ts';

/** A request that a second operator has to read is no larger; so the list of all that wait fits into one answer. */
const PROPOSED_BYTES_MAX = 4 * 1024;

/**
 * Says whose command this is and whether that operator may give it now, and writes its beginning to the audit log; what is
 * refused is written too. Refusals: unauthorized, forbidden, approval_needed, approval_used, validation (too large to be
 * approved), unavailable (the OpenID provider does not answer).
 */
export async function begin(context: Context, request: BeginRequest) {
  const who = await authenticate(context, request);
  if ('code' in who) throw await refused(context, request, who.operator, who.code, who.reason);
  const { operator } = who;
  if (!request.roles.some((role) => fromRoleMessage(role) === operator.role)) {
    throw await refused(context, request, operator, 'forbidden', `the role ${operator.role} may not do this`);
  }
  if (request.readOnly) return { commandId: '', operator: toMessage(operator), proposer: '' };
  const commandId = context.newId(context.realNow());
  const proposer = request.needsApproval ? await approved(context, request, operator, commandId) : '';
  await context.audit.append({ ...entryOf(request, operator), kind: 'begin', command: commandId, proposer });
  return { commandId, operator: toMessage(operator), proposer };
}

/** Who has proposed the command that this operator approves by giving it too. Refusals: approval_needed, approval_used, validation. */
async function approved(context: Context, request: BeginRequest, operator: Operator, commandId: string): Promise<string> {
  const { service, method, request: bytes, roles } = request;
  if (bytes.byteLength > PROPOSED_BYTES_MAX) {
    throw await refused(context, request, operator, 'validation', 'the request is too large to be approved');
  }
  // The token is for the hash; the approval is for the request.
  if (!createHash('sha256').update(bytes).digest().equals(request.requestHash)) {
    throw await refused(context, request, operator, 'validation', 'the request is not the one that the token is for');
  }
  const may = ({ role, active }: Operator) => active && roles.some((one) => fromRoleMessage(one) === role);
  const decision = await approve(context, { service, method, request: bytes }, { operator, commandId, may });
  if ('proposer' in decision) return decision.proposer;
  const { code, message, approvalId, proposed } = decision;
  const facts = { refusal: code, reason: message, outcome: proposed ? 'proposed' : 'refused' } as const;
  await context.audit.append({ ...entryOf(request, operator), ...facts, command: commandId, target: `approval:${approvalId}` });
  throw new RefusalError(refuse(code, { message, echo: { approval_id: approvalId } }));
}

/**
 * Writes the refusal to the audit log; of those without a valid token only so many (`logRefusedTokens`). An operator who was not
 * authenticated is named as claimed, in the reason only.
 */
async function refused(
  context: Context,
  request: BeginRequest,
  operator: Operator | undefined,
  code: RefusalCode,
  reason: string,
): Promise<RefusalError> {
  context.metrics.operatorRefused(code);
  if (code === 'unauthorized' || operator === undefined) {
    const who = operator === undefined ? '' : ` (as ${operator.id})`;
    const { service, method, source } = request;
    await context.refusedTokens.write({ service, method, source, refusal: code, reason: `${reason}${who}` });
  } else {
    const outcome: Outcome = 'refused';
    const entry = { ...entryOf(request, operator), outcome, refusal: code, reason };
    await context.audit.append({ ...entry, command: context.newId(context.realNow()) });
  }
  return new RefusalError(refuse(code, { message: reason }));
}

function entryOf({ service, method, source }: BeginRequest, operator: Operator | undefined): Partial<EntryContent> {
  if (operator === undefined) return { service, method, source };
  const { id: subject, name, role } = operator;
  return { subject, name, role, service, method, source };
}
