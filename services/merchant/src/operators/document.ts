import type { Operator, Role } from './operator.ts';

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
  public_key: string;
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
    issuer: operator.issuer,
    public_key: operator.publicKey,
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
    issuer: document.issuer,
    publicKey: document.public_key,
    enrolledBy: document.enrolled_by,
    enrolledAtMs: document.enrolled_at.getTime(),
  };
}
