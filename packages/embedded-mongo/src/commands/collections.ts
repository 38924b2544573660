import { encodeDocument } from '../bson/encode.ts';
import type { Doc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { compileFilter } from '../query/match.ts';
import { type Command, collectionName, createCollection, docField, flag, onlyKnown, optionalDoc } from './context.ts';

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
const harmless = [
  'size',
  'max',
  'validationLevel',
  'validationAction',
  'storageEngine',
  'indexOptionDefaults',
  'idIndex',
  'autoIndexId',
  'pipeline',
];

export const create: Command = (body, context) => {
  onlyKnown(body, 'create', [...refused, ...harmless]);
  for (const option of refused) {
    const value = body[option];
    if (value !== undefined && value !== false && value !== null)
      throw failure('NotImplemented', `create with ${option} is not supported by this server`);
  }
  const name = collectionName(body, 'create');
  if (context.store.collection(context.db, name)) return { ok: 1 };
  createCollection(context, name, {});
  return { ok: 1 };
};

export const drop: Command = (body, context) => {
  onlyKnown(body, 'drop', []);
  const collection = context.store.collection(context.db, collectionName(body, 'drop'));
  if (!collection) return { ok: 1 };
  const nIndexesWas = collection.allIndexes.length;
  context.store.dropCollection(collection);
  return { nIndexesWas, ns: collection.namespace, ok: 1 };
};

export const dropDatabase: Command = (body, context) => {
  onlyKnown(body, 'dropDatabase', []);
  const collections = context.store.collections(context.db);
  for (const collection of collections) context.store.dropCollection(collection);
  return { ...(collections.length > 0 && { dropped: context.db }), ok: 1 };
};

export const listCollections: Command = (body, context) => {
  onlyKnown(body, 'listCollections', ['filter', 'nameOnly', 'authorizedCollections', 'cursor']);
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
  onlyKnown(body, 'listDatabases', ['filter', 'nameOnly', 'authorizedDatabases']);
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
