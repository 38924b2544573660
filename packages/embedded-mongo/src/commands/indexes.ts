import { equalValues } from '../bson/compare.ts';
import { encodeDocument } from '../bson/encode.ts';
import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { compileFilter } from '../query/match.ts';
import type { Collection } from '../storage/collection.ts';
import { type Index, type IndexSpec, sameOptions } from '../storage/index.ts';
import { arrayField, type Command, collectionName, collectionToWrite, onlyKnown, refuseCollation } from './context.ts';

const knownOptions = [
  'v',
  'key',
  'name',
  'unique',
  'sparse',
  'hidden',
  'partialFilterExpression',
  'expireAfterSeconds',
  'background',
  'collation',
  'ns',
];
const indexesMax = 64;

export const createIndexes: Command = (body, context) => {
  onlyKnown(body, 'createIndexes', ['indexes', 'commitQuorum', 'ignoreUnknownIndexOptions']);
  const name = collectionName(body, 'createIndexes');
  const specs = arrayField(body, 'indexes').map(readSpec);
  if (specs.length === 0) throw failure('BadValue', 'Must specify at least one index to create');
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

function readSpec(given: unknown): IndexSpec {
  if (!isDoc(given)) throw failure('TypeMismatch', 'index specifications must be objects');
  for (const option of Object.keys(given)) {
    if (!knownOptions.includes(option)) {
      throw failure(
        'InvalidIndexSpecificationOption',
        `The field '${option}' is not valid for an index specification, or not supported by this server`,
      );
    }
  }
  refuseCollation(given);
  const { key, name, unique, sparse, hidden, partialFilterExpression, expireAfterSeconds } = given;
  if (!isDoc(key) || Object.keys(key).length === 0)
    throw failure('CannotCreateIndex', "The 'key' field must be an object and not empty");
  for (const [path, direction] of Object.entries(key)) {
    if (typeof direction === 'string')
      throw failure('NotImplemented', `indexes of type '${direction}' are not supported by this server`);
    if (!isNumeric(direction) || Number(direction) === 0)
      throw failure(
        'CannotCreateIndex',
        `Values in v:2 index key pattern cannot be of type ${typeof direction} or zero: ${path}`,
      );
    if (path === '' || path.split('.').includes(''))
      throw failure('CannotCreateIndex', 'Index keys cannot contain an empty field.');
    if (path.startsWith('$') || path.includes('$**'))
      throw failure('CannotCreateIndex', `Index key contains an illegal field name: field name starts with '$': ${path}`);
  }
  if (typeof name !== 'string' || name === '')
    throw failure('FailedToParse', "The 'name' field is a required property of an index specification");
  if (partialFilterExpression !== undefined) {
    if (!isDoc(partialFilterExpression)) throw failure('TypeMismatch', "The field 'partialFilterExpression' must be an object");
    if (sparse === true) throw failure('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
    checkPartial(partialFilterExpression);
  }
  if (expireAfterSeconds !== undefined && (!isNumeric(expireAfterSeconds) || Number(expireAfterSeconds) < 0)) {
    throw failure('CannotCreateIndex', 'TTL index expireAfterSeconds option must be numeric and not negative');
  }
  if (expireAfterSeconds !== undefined && Object.keys(key).length > 1) {
    throw failure('CannotCreateIndex', 'TTL indexes are single-field indexes, compound indexes do not support TTL');
  }
  return {
    v: 2,
    key,
    name,
    ...(unique === true && { unique: true }),
    ...(sparse === true && { sparse: true }),
    ...(hidden === true && { hidden: true }),
    ...(isDoc(partialFilterExpression) && { partialFilterExpression }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
  };
}

const partialOperators = new Set(['$eq', '$gt', '$gte', '$lt', '$lte', '$exists', '$type', '$in']);

/** A partial index takes a few operators only, so that the planner can tell what it holds. */
function checkPartial(filter: Doc): void {
  compileFilter(filter);
  for (const [path, operand] of Object.entries(filter)) {
    if (path === '$and' && Array.isArray(operand)) for (const part of operand) checkPartial(isDoc(part) ? part : {});
    else if (path.startsWith('$') && path !== '$or')
      throw failure('CannotCreateIndex', `Expression not supported in partial index: ${path}`);
    else if (isDoc(operand) && Object.keys(operand)[0]?.startsWith('$')) {
      for (const [operator, value] of Object.entries(operand)) {
        if (!partialOperators.has(operator) || (operator === '$exists' && value !== true)) {
          throw failure('CannotCreateIndex', `Expression not supported in partial index: ${path}: ${operator}`);
        }
      }
    }
  }
}

/** Whether an index is still to be created; refuses one that clashes with another. */
function isNew(collection: Collection, spec: IndexSpec): boolean {
  for (const { spec: other } of collection.allIndexes) {
    const sameKey = equalValues(spec.key, other.key);
    if (spec.name === other.name) {
      if (!sameKey)
        throw failure(
          'IndexKeySpecsConflict',
          `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Requested index: ${spec.name}`,
        );
      if (!sameOptions(spec, other) && other.name !== '_id_') {
        throw failure(
          'IndexKeySpecsConflict',
          `An existing index has the same name as the requested index but other options: ${spec.name}`,
        );
      }
      return false;
    }
    if (sameKey && other.name === '_id_') return false;
    if (sameKey && equalValues(spec.partialFilterExpression ?? null, other.partialFilterExpression ?? null)) {
      throw failure('IndexOptionsConflict', `Index already exists with a different name: ${other.name}`);
    }
  }
  return true;
}

export const listIndexes: Command = (body, context) => {
  onlyKnown(body, 'listIndexes', ['cursor', 'includeBuildUUIDs', 'includeIndexBuildInfo']);
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
  onlyKnown(body, 'dropIndexes', ['index']);
  const name = collectionName(body, 'dropIndexes');
  const collection = context.store.collection(context.db, name);
  if (!collection) throw failure('NamespaceNotFound', `ns not found ${context.db}.${name}`);
  const nIndexesWas = collection.allIndexes.length;
  const wanted = body.index;
  const targets =
    wanted === '*'
      ? [...collection.indexes]
      : (Array.isArray(wanted) ? wanted : [wanted]).map((one) => indexToDrop(collection, one));
  for (const index of targets) context.store.dropIndex(collection, index);
  return { nIndexesWas, ok: 1 };
};

function indexToDrop(collection: Collection, wanted: unknown): Index {
  const index = collection.allIndexes.find((one) =>
    typeof wanted === 'string' ? one.spec.name === wanted : equalValues(one.spec.key, wanted),
  );
  if (!index) throw failure('IndexNotFound', `index not found with name [${String(wanted)}]`);
  if (index.isId) throw failure('InvalidOptions', 'cannot drop _id index');
  return index;
}
