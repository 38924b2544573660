import { CLI_ISSUER } from '@gerbang/neighbours';
import type { Identity, Operator, Role } from './operator.ts';

const SCHEMA = 1;

/** `_id` = the operator's id. */
export type OperatorDocument = {
  _id: string;
  schema: number;
  version: bigint;
  name: string;
  role: Role;
  active: boolean;
  issuer: string;
  /** Empty where a provider says who this is. */
  public_key: string;
  /** What the provider calls the operator; absent for a key. */
  subject?: string;
  enrolled_by: string;
  enrolled_at: Date;
};

export function toDocument(operator: Operator): OperatorDocument {
  return {
    _id: operator.id,
    schema: SCHEMA,
    version: 1n,
    name: operator.name,
    role: operator.role,
    active: operator.active,
    ...fromIdentity(operator.identity),
    enrolled_by: operator.enrolledBy,
    enrolled_at: new Date(operator.enrolledAtMs),
  };
}

export function fromDocument(document: OperatorDocument): Operator {
  return {
    id: document._id,
    name: document.name,
    role: document.role,
    active: document.active,
    identity: toIdentity(document),
    enrolledBy: document.enrolled_by,
    enrolledAtMs: document.enrolled_at.getTime(),
  };
}

function fromIdentity(identity: Identity): Pick<OperatorDocument, 'issuer' | 'public_key' | 'subject'> {
  if (identity.by === 'key') return { issuer: CLI_ISSUER, public_key: identity.publicKey };
  return { issuer: identity.issuer, public_key: '', subject: identity.subject };
}

function toIdentity({ issuer, public_key, subject }: OperatorDocument): Identity {
  return subject === undefined ? { by: 'key', publicKey: public_key } : { by: 'provider', issuer, subject };
}
