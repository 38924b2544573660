import { equalValues } from '../bson/compare.ts';
import { encodeDocument } from '../bson/encode.ts';
import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { compileFilter } from '../query/match.ts';
import { type Command, collectionName, createCollection, docField, flag, optionalDoc } from './context.ts';
import { checkFields, type Fields } from './fields.ts';

/** Options of `create` that would change what the collection does, and are not there. */
const refused = [
  'capped',
  'timeseries',
  'viewOn',
  'validator',
  'collation',
  'clusteredIndex',
  'changeStreamPreAndPostImages',
  'expireAfterSeconds',
  'encryptedFields',
];
const options: Fields = {
  ...Object.fromEntries(refused.map((name) => [name, 'any' as const])),
  ...{ size: 'number', max: 'number', validationLevel: 'string', validationAction: 'string', storageEngine: 'object' },
  ...{ indexOptionDefaults: 'object', idIndex: 'object', autoIndexId: 'bool', pipeline: 'array' },
};

export const create: Command = (body, context) => {
  checkFields(body, 'create', options);
  for (const option of refused) {
    const value = body[option];
    if (value !== undefined && value !== false && value !== null)
      throw failure('NotImplemented', `create with ${option} is not supported by this server`);
  }
  checkOptions(body);
  const name = collectionName(body, 'create');
  if (context.store.collection(context.db, name)) return { ok: 1 };
  createCollection(context, name, {});
  return { ok: 1 };
};

/** Refuses options that the server takes only together with others, which are not there. */
function checkOptions({ size, max, autoIndexId, pipeline, idIndex }: Doc): void {
  if (size !== undefined || max !== undefined)
    throw failure('InvalidOptions', "the 'capped' field needs to be true when either the 'size' or 'max' fields are present");
  if (autoIndexId === false) throw failure('InvalidOptions', 'The autoIndexId option is not allowed to be false');
  if (pipeline !== undefined) throw failure('BadValue', "'pipeline' requires 'viewOn' to also be specified");
  if (idIndex !== undefined) checkIdIndex(idIndex);
}

function checkIdIndex(spec: unknown): void {
  if (!isDoc(spec) || !isDoc(spec.key))
    throw failure('FailedToParse', "The 'key' field is a required property of an index specification");
  const { key, name: _, v: __, ns: ___, ...others } = spec;
  if (!equalValues(key, { _id: 1 })) throw failure('BadValue', "The field 'key' for an _id index must be {_id: 1}");
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw failure('InvalidIndexSpecificationOption', `The field '${other}' is not valid for an _id index specification.`);
}

export const drop: Command = (body, context) => {
  checkFields(body, 'drop', {});
  const collection = context.store.collection(context.db, collectionName(body, 'drop'));
  if (!collection) return { ok: 1 };
  const nIndexesWas = collection.allIndexes.length;
  context.store.dropCollection(collection);
  return { nIndexesWas, ns: collection.namespace, ok: 1 };
};

export const dropDatabase: Command = (body, context) => {
  checkFields(body, 'dropDatabase', {});
  if (!isNumeric(body.dropDatabase) || Number(body.dropDatabase) !== 1)
    throw location(5255100, "Have to pass 1 as 'dropDatabase' parameter");
  if (context.db === 'admin') throw failure('IllegalOperation', "Dropping the 'admin' database is prohibited.");
  const collections = context.store.collections(context.db);
  for (const collection of collections) context.store.dropCollection(collection);
  return { ...(collections.length > 0 && { dropped: context.db }), ok: 1 };
};

export const listCollections: Command = (body, context) => {
  checkFields(body, 'listCollections', { filter: 'object', nameOnly: 'flag', authorizedCollections: 'flag', cursor: 'object' });
  const matches = compileFilter(docField(body, 'filter'));
  const nameOnly = flag(body, 'nameOnly');
  const described = context.store
    .collections(context.db)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      (collection): Doc => ({
        name: collection.name,
        type: 'collection',
        options: collection.options,
        info: { readOnly: false, uuid: collection.uuid },
        idIndex: { ...collection.idIndex.spec },
      }),
    )
    .filter(matches)
    .map((doc) => encodeDocument(nameOnly ? { name: doc.name, type: doc.type } : doc));
  return context.cursors.start(`${context.db}.$cmd.listCollections`, described[Symbol.iterator](), Number.POSITIVE_INFINITY, {
    single: true,
    nowMs: context.now.getTime(),
    stillValid: () => true,
  });
};

export const listDatabases: Command = (body, context) => {
  checkFields(body, 'listDatabases', { filter: 'object', nameOnly: 'flag', authorizedDatabases: 'bool' });
  if (context.db !== 'admin') throw failure('Unauthorized', 'listDatabases may only be run against the admin database.');
  const filter = optionalDoc(body, 'filter');
  const matches = filter ? compileFilter(filter) : () => true;
  const sizeOnDisk = context.store.sizeBytes();
  const databases = context.store
    .databases()
    .map((name): Doc => ({ name, sizeOnDisk, empty: false }))
    .filter(matches);
  if (flag(body, 'nameOnly')) return { databases: databases.map(({ name }) => ({ name })), ok: 1 };
  return { databases, totalSize: sizeOnDisk, totalSizeMb: Math.floor(sizeOnDisk / 2 ** 20), ok: 1 };
};
