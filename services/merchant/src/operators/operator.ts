import { type Refusal, refuse } from '@gerbang/core';

export const ROLES = ['viewer', 'support', 'finance', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A person who may give commands. Once given, an id is never another person's. */
export type Operator = {
  id: string;
  /** For people to read; principals are never compared by it. */
  name: string;
  role: Role;
  active: boolean;
  identity: Identity;
  enrolledBy: string;
  enrolledAtMs: number;
};

/** What tells this person from all others: an own key (Ed25519, base64url), or what an OpenID provider says. */
export type Identity = { by: 'key'; publicKey: string } | { by: 'provider'; issuer: string; subject: string };

export type OperatorChange = { role: Role } | { active: false };

/** So many admins are needed to approve each other's commands. */
const ADMINS_MIN = 2;

/**
 * Whether giving or taking this role needs a second operator. Finance counts too: one admin who could enrol a second person with
 * that role alone could approve his own payments under its name.
 */
export function isTrusted(role: Role): boolean {
  return role === 'finance' || role === 'admin';
}

/** The operator after the change. Refusals: bad_request (disabled, or too few admins would be left). */
export function changed(operator: Operator, change: OperatorChange, activeAdmins: number): Operator | Refusal {
  if (!operator.active) return refuse('bad_request', { message: `${operator.id} is disabled for good` });
  const after = { ...operator, ...change };
  const leaves = operator.role === 'admin' && (after.role !== 'admin' || !after.active);
  if (leaves && activeAdmins <= ADMINS_MIN) {
    return refuse('bad_request', { message: `there must be at least ${ADMINS_MIN} admins; enrol another one first` });
  }
  return after;
}

/** The role that may do less. */
export function lesserRole(one: Role, other: Role): Role {
  return ROLES.indexOf(one) < ROLES.indexOf(other) ? one : other;
}

/** Equal for the same identity only: an issuer is a URL, which has no blank, and neither has a key. */
export function identityKey(identity: Identity): string {
  return identity.by === 'key' ? identity.publicKey : `${identity.issuer} ${identity.subject}`;
}

/** An operator as the audit log shows it. */
export function describeOperator({ id, name, role, active, identity }: Operator) {
  const by = identity.by === 'key' ? { public_key: identity.publicKey } : { issuer: identity.issuer, subject: identity.subject };
  return { id, name, role, active, ...by };
}
