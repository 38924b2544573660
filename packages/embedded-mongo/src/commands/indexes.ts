import { equalValues } from '../bson/compare.ts';
import { encodeDocument } from '../bson/encode.ts';
import { isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import type { Collection } from '../storage/collection.ts';
import { type Index, type IndexSpec, samePartial, sameSignature } from '../storage/index.ts';
import { arrayField, type Command, collectionName, collectionToWrite } from './context.ts';
import { checkFields, requireFields, wrongType } from './fields.ts';
import { readIndexSpec } from './index-spec.ts';

const indexesMax = 64;

export const createIndexes: Command = (body, context) => {
  checkFields(body, 'createIndexes', { indexes: 'array', commitQuorum: 'any', ignoreUnknownIndexOptions: 'flag' });
  requireFields(body, 'createIndexes', ['indexes']);
  const name = collectionName(body, 'createIndexes');
  const specs = arrayField(body, 'indexes').map(readIndexSpec);
  if (specs.length === 0) throw failure('BadValue', 'Must specify at least one index to create');
  refuseTwins(specs);
  const createdCollectionAutomatically = context.store.collection(context.db, name) === undefined;
  const collection = collectionToWrite(context, name);
  const numIndexesBefore = collection.allIndexes.length;
  const fresh = specs.filter((spec) => isNew(collection, spec));
  if (numIndexesBefore + fresh.length > indexesMax)
    throw failure('CannotCreateIndex', `add index fails, too many indexes for ${collection.namespace}`);
  if (fresh.length > 0) context.store.createIndexes(collection, fresh);
  return {
    numIndexesBefore,
    numIndexesAfter: collection.allIndexes.length,
    createdCollectionAutomatically,
    ...(fresh.length === 0 && { note: 'all indexes already exist' }),
    ok: 1,
  };
};

/** Refuses two specifications of one command that mean the same index. */
function refuseTwins(specs: readonly IndexSpec[]): void {
  for (const [at, spec] of specs.entries()) {
    for (const other of specs.slice(0, at)) {
      if (!sameSignature(spec, other)) {
        if (spec.name === other.name) throw sameName(spec);
      } else if (spec.name === other.name) throw failure('IndexAlreadyExists', `Identical index already exists: ${spec.name}`);
      else throw failure('IndexOptionsConflict', `Index already exists with a different name: ${other.name}`);
    }
  }
}

const sameName = (spec: IndexSpec) =>
  failure(
    'IndexKeySpecsConflict',
    `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Requested index: ${spec.name}`,
  );

/** Whether an index is still to be created; refuses one that clashes with another. */
function isNew(collection: Collection, spec: IndexSpec): boolean {
  for (const { spec: other } of collection.allIndexes) {
    const isSame = sameSignature(spec, other);
    if (spec.name === other.name) {
      if (!isSame) throw sameName(spec);
      if (!equalValues(spec.expireAfterSeconds ?? null, other.expireAfterSeconds ?? null)) {
        throw failure(
          'IndexOptionsConflict',
          `An equivalent index already exists with the same name but different options. Requested index: ${spec.name}`,
        );
      }
      return false;
    }
    // The server lets indexes on one key differ in `unique` and `sparse`; this one does not.
    const isAlike = equalValues(spec.key, other.key) && samePartial(spec, other);
    if (isSame || isAlike) throw failure('IndexOptionsConflict', `Index already exists with a different name: ${other.name}`);
  }
  return true;
}

export const listIndexes: Command = (body, context) => {
  checkFields(body, 'listIndexes', { cursor: 'object', includeBuildUUIDs: 'bool', includeIndexBuildInfo: 'bool' });
  const name = collectionName(body, 'listIndexes');
  const collection = context.store.collection(context.db, name);
  if (!collection) throw failure('NamespaceNotFound', `ns does not exist: ${context.db}.${name}`);
  const described = collection.allIndexes.map((index) => encodeDocument({ ...index.spec }));
  return context.cursors.start(collection.namespace, described[Symbol.iterator](), Number.POSITIVE_INFINITY, {
    single: true,
    nowMs: context.now.getTime(),
    stillValid: () => true,
  });
};

export const dropIndexes: Command = (body, context) => {
  checkFields(body, 'dropIndexes', { index: 'any' });
  requireFields(body, 'dropIndexes', ['index']);
  const name = collectionName(body, 'dropIndexes');
  const collection = context.store.collection(context.db, name);
  if (!collection) throw failure('NamespaceNotFound', `ns not found ${context.db}.${name}`);
  const nIndexesWas = collection.allIndexes.length;
  const wanted = body.index;
  const targets =
    wanted === '*'
      ? [...collection.indexes]
      : (Array.isArray(wanted) ? wanted : [wanted]).map((one) => indexToDrop(collection, one, Array.isArray(wanted)));
  for (const index of targets) context.store.dropIndex(collection, index);
  return { nIndexesWas, ok: 1 };
};

function indexToDrop(collection: Collection, wanted: unknown, inList: boolean): Index {
  if (typeof wanted !== 'string' && (inList || !isDoc(wanted)))
    throw wrongType('dropIndexes.index', wanted, inList ? "type 'string'" : "types '[string, object]'");
  const found = collection.allIndexes.filter(({ spec }) =>
    typeof wanted === 'string' ? spec.name === wanted : equalValues(spec.key, wanted),
  );
  const [index] = found;
  if (!index) throw failure('IndexNotFound', `index not found with name [${String(wanted)}]`);
  if (found.length > 1)
    throw failure('AmbiguousIndexKeyPattern', `${found.length} indexes found for key. Must specify index name.`);
  if (index.isId) throw failure('InvalidOptions', 'cannot drop _id index');
  return index;
}
