import { CLI_ISSUER } from '@gerbang/neighbours';
import { OperatorStatus, Role as RoleMessage } from '@gerbang/proto/gerbang/operator/v1/operator';
import type { Identity, Operator, Role } from './operator.ts';

const MESSAGES: Readonly<Record<Role, RoleMessage>> = {
  viewer: RoleMessage.VIEWER,
  support: RoleMessage.SUPPORT,
  finance: RoleMessage.FINANCE,
  admin: RoleMessage.ADMIN,
};

export function toRoleMessage(role: Role): RoleMessage {
  return MESSAGES[role];
}

/** Undefined where it is none, or one of a later version. */
export function fromRoleMessage(role: RoleMessage): Role | undefined {
  switch (role) {
    case RoleMessage.VIEWER:
      return 'viewer';
    case RoleMessage.SUPPORT:
      return 'support';
    case RoleMessage.FINANCE:
      return 'finance';
    case RoleMessage.ADMIN:
      return 'admin';
    default:
      return undefined;
  }
}

export function toMessage(operator: Operator) {
  return {
    id: operator.id,
    name: operator.name,
    role: toRoleMessage(operator.role),
    status: operator.active ? OperatorStatus.ACTIVE : OperatorStatus.DISABLED,
    ...identityMessage(operator.identity),
    enrolledBy: operator.enrolledBy,
    enrolledAtMs: BigInt(operator.enrolledAtMs),
  };
}

function identityMessage(identity: Identity) {
  if (identity.by === 'key') return { issuer: CLI_ISSUER, publicKey: identity.publicKey };
  return { issuer: identity.issuer, subject: identity.subject };
}
