import { RefusalError, refuse } from '@gerbang/core';
import { formatSealed, type Keys, type Purpose, parseSealed, type SealedDocument, type Secret } from '@gerbang/keys';
import type { Logger } from '@gerbang/runtime';
import { changeFields, type FieldChange, readPageById, type Store, type Walked } from '@gerbang/store';

/** Documents that one call looks at. */
const PAGE = 500;

/** How a sealed thing is stored. */
type Stored = string | SealedDocument;

/** A sealed field of a document: where it is, as it is stored, and what it is sealed to. */
export type SealedField<P extends Purpose> = { path: string; sealed: Stored; secret: Secret<P> };

/** A collection with sealed things: the fields that have to be read to find them, and the sealed ones in a document. */
export type SealedPlace<T extends Walked, P extends Purpose> = {
  collection: string;
  purpose: P;
  paths: readonly string[];
  /** Whether each sealed thing has a data key of its own. */
  fresh?: boolean;
  fieldsOf(document: T): SealedField<P>[];
};

/** What was found on one page; `next` is empty after the last one. */
export type Counted = { counts: Map<string, number>; next: string };
export type Resealed = { resealed: number; overtaken: number; failed: number; next: string };

/** Walks through a place by pages, in the order of `_id`; `after` is the `next` of the page before, or empty. */
export type PlaceWalk = {
  name: string;
  purpose: Purpose;
  newestKid(): Promise<string>;
  count(after: string): Promise<Counted>;
  /**
   * Seals again what does not lie under the newest key. A field is written on condition that it still is what was opened, so
   * that nothing written meanwhile is lost; versions stay as they are, so that other writers are not disturbed. One that has read
   * the document before may bring an old ciphertext back, which opens as well: the next walk finds it.
   */
  reseal(after: string): Promise<Resealed>;
};

/** Makes the walk of a place in a service's own database. */
export function walkOf<T extends Walked, P extends Purpose>(
  { store, keys, log }: { store: Store; keys: Keys<P>; log: Logger },
  { collection, purpose, paths, fresh = false, fieldsOf }: SealedPlace<T, P>,
): PlaceWalk {
  const read = async (after: string) => {
    const from = after === '' ? undefined : idOf(after);
    const page = await readPageById<T>(store, collection, { after: from, paths, limit: PAGE });
    const last = page.length < PAGE ? undefined : page.at(-1);
    return { page, next: last === undefined ? '' : JSON.stringify(last._id) };
  };
  return {
    name: collection,
    purpose,
    newestKid: () => keys.newestKid(purpose),
    async count(after) {
      const { page, next } = await read(after);
      const counts = new Map<string, number>();
      for (const { sealed } of page.flatMap(fieldsOf)) {
        const { kid } = partsOf(sealed);
        counts.set(kid, (counts.get(kid) ?? 0) + 1);
      }
      return { counts, next };
    },
    async reseal(after) {
      const newest = await keys.newestKid(purpose);
      const { page, next } = await read(after);
      const stale = page.flatMap((document) =>
        fieldsOf(document)
          .filter(({ sealed }) => partsOf(sealed).kid !== newest)
          .map((field) => ({ id: document._id, field })),
      );
      const changes: FieldChange[] = [];
      for (const { id, field } of stale) {
        const failed = (error: unknown) =>
          log.error({ err: error, collection, id, field: field.path }, 'no key opens a sealed thing');
        const to = await sealAgain(keys, field, { fresh, failed });
        if (to !== undefined) changes.push({ id, path: field.path, from: field.sealed, to });
      }
      const made = await changeFields(store, collection, changes);
      if (made > 0) log.info({ collection, kid: newest, resealed: made }, 'sealed secrets again under the newest key');
      return { resealed: made, overtaken: changes.length - made, failed: stale.length - changes.length, next };
    },
  };
}

/** In the form that it is stored in; undefined, and `failed` is told, where no key opens it. Refusals: unavailable. */
async function sealAgain<P extends Purpose>(
  keys: Keys<P>,
  { sealed, secret }: SealedField<P>,
  { fresh, failed }: { fresh: boolean; failed: (error: unknown) => void },
): Promise<Stored | undefined> {
  let plain: Buffer;
  try {
    plain = await keys.openBytes(secret, formatSealed(partsOf(sealed)));
  } catch (error) {
    if (error instanceof RefusalError) throw error;
    failed(error);
    return undefined;
  }
  const again = await keys.seal(secret, plain, { fresh });
  return typeof sealed === 'string' ? again : parseSealed(again);
}

function partsOf(sealed: Stored): SealedDocument {
  return typeof sealed === 'string' ? parseSealed(sealed) : sealed;
}

function idOf(after: string): string | number {
  try {
    const id: unknown = JSON.parse(after);
    if (typeof id === 'string' || typeof id === 'number') return id;
  } catch {
    // It is not from a page of ours.
  }
  throw new RefusalError(refuse('validation', { message: 'after: is not the next of a page' }));
}
