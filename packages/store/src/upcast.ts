import type { Document } from 'mongodb';

/** Lifts a document's state from one schema version to the next; pure. */
export type Upcaster = (document: Document) => Document;

/**
 * The document in the current schema, `upcasters.length + 1`: the first upcaster lifts version 1 to 2, and so on (architecture
 * §3). `schema` still says what is stored. Throws for a document of a later version: an older program must not touch what it
 * can't read.
 */
export function upcast<D extends { _id: unknown; schema: number }>(document: D, upcasters: readonly Upcaster[]): D {
  const current = upcasters.length + 1;
  if (document.schema > current) {
    throw new Error(`document ${String(document._id)} has schema ${document.schema}; this program reads up to ${current}`);
  }
  const lifted = upcasters.slice(document.schema - 1).reduce((state: Document, lift) => lift(state), document);
  return { ...lifted, schema: document.schema } as D;
}
