import { canonicalJson, type KeyedChain, type Link, NO_LINK } from '@gerbang/core';
import { CLI_ISSUER } from '@gerbang/neighbours';
import type { Identity, Operator, Role } from './operator.ts';

const SCHEMA = 1;

/** `_id` = the operator's id. `kid` and `mac` are absent in documents of earlier versions. */
export type OperatorDocument = Partial<Link> & {
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

/** With a MAC under a key that is not in the database, so who can write there cannot make an operator. */
export function toDocument(chain: KeyedChain, operator: Operator, version: bigint): OperatorDocument {
  const document = {
    _id: operator.id,
    schema: SCHEMA,
    version,
    name: operator.name,
    role: operator.role,
    active: operator.active,
    ...fromIdentity(operator.identity),
    enrolled_by: operator.enrolledBy,
    enrolled_at: new Date(operator.enrolledAtMs),
  };
  return { ...document, ...chain.link(NO_LINK, contentOf(document)) };
}

/** Whether this service has written the document, all of it. */
export function isGenuine(chain: KeyedChain, document: OperatorDocument): boolean {
  const { kid, mac } = document;
  if (kid === undefined || mac === undefined || !chain.knows(kid)) return false;
  return chain.holds({ kid, mac }, NO_LINK, contentOf(document));
}

function contentOf({ kid: _kid, mac: _mac, schema, version, enrolled_at, ...content }: OperatorDocument): Uint8Array {
  const texts = { schema: String(schema), version: String(version), enrolled_at: enrolled_at.toISOString() };
  return Buffer.from(canonicalJson({ ...content, ...texts }));
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
