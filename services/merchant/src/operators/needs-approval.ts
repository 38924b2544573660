import type { DisableOperatorRequest, EnrolOperatorRequest, SetRoleRequest } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { Context } from '../context.ts';
import { fromRoleMessage } from './message.ts';
import { isTrusted } from './operator.ts';

/** Whether a second operator has to enrol this one too. */
export function enrolmentNeedsApproval({ role }: EnrolOperatorRequest): boolean {
  const known = fromRoleMessage(role);
  return known !== undefined && isTrusted(known);
}

/** Whether a second operator has to give this role too: raising to a trusted one, or taking an admin's. */
export async function roleNeedsApproval(context: Context, { id, role }: SetRoleRequest): Promise<boolean> {
  const known = fromRoleMessage(role);
  return (known !== undefined && isTrusted(known)) || (await isAdmin(context, id));
}

/** Whether a second operator has to disable this one too. */
export function disablingNeedsApproval(context: Context, { id }: DisableOperatorRequest): Promise<boolean> {
  return isAdmin(context, id);
}

async function isAdmin({ operators }: Context, id: string): Promise<boolean> {
  return (await operators.find(id))?.role === 'admin';
}
