import { canonicalJson } from '@gerbang/core';

export type Outcome = 'done' | 'refused' | 'failed' | 'proposed';

/**
 * What an entry of the audit log says. A command has two, `begin` and `end`; one that does not begin, because it is refused or
 * waits for approval, has only `single`. `start` is the log's first entry. A field that a kind does not have is empty.
 */
export type EntryContent = {
  kind: 'start' | 'begin' | 'end' | 'single';
  command: string;
  /** The operator's id, name and role; empty where no operator could be told. */
  subject: string;
  name: string;
  role: string;
  service: string;
  method: string;
  source: string;
  /** Who has proposed what this operator approves. */
  proposer: string;
  outcome: Outcome | '';
  refusal: string;
  reason: string;
  target: string;
  /** JSON, without secrets. */
  before: string;
  after: string;
};

/** `_id` = its number; without a gap. */
export type EntryDocument = EntryContent & { _id: bigint; schema: number; at: Date; kid: string; mac: string };

export const NOTHING: EntryContent = {
  kind: 'single',
  command: '',
  subject: '',
  name: '',
  role: '',
  service: '',
  method: '',
  source: '',
  proposer: '',
  outcome: '',
  refusal: '',
  reason: '',
  target: '',
  before: 'null',
  after: 'null',
};

/** What the chain is made over: everything but the link itself. */
export function contentOf({ _id, at, kid: _kid, mac: _mac, schema, ...content }: EntryDocument): Uint8Array {
  return Buffer.from(canonicalJson({ seq: String(_id), at: at.toISOString(), schema: Number(schema), ...content }));
}
