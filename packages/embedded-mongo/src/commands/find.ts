import { encodeDocument } from '../bson/encode.ts';
import { type Doc, isNumeric } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { type Found, type PlannedQuery, prepareQuery } from '../query/find.ts';
import { compileProjection } from '../query/project.ts';
import { keptRootsOf } from '../query/roots.ts';
import {
  arrayField,
  type Command,
  type CommandContext,
  collectionName,
  countField,
  docField,
  flag,
  refuseCollation,
  variablesOf,
} from './context.ts';
import { firstBatchDefault } from './cursors.ts';
import { checkFields, type Fields, requireFields } from './fields.ts';
import { checkSortSpec } from './sort-spec.ts';

const known: Fields = {
  ...{ filter: 'object', sort: 'object', projection: 'object', hint: 'hint', skip: 'count', limit: 'count', batchSize: 'count' },
  ...{ singleBatch: 'bool', let: 'object', collation: 'object', allowDiskUse: 'bool', noCursorTimeout: 'bool', tailable: 'bool' },
  ...{ allowPartialResults: 'bool', returnKey: 'bool', showRecordId: 'bool', awaitData: 'bool', oplogReplay: 'any' },
  ...{ min: 'object', max: 'object' },
};

/** `find`: answers a first batch; stored bytes go out as they are unless a projection changes them. */
export const find: Command = (body, context) => {
  const name = collectionName(body, 'find');
  const { query, project } = prepareFind(body, context, name);
  const collection = context.store.collection(context.db, name);
  return context.cursors.start(
    `${context.db}.${name}`,
    bytesOf(query.run(), project),
    countField(body, 'batchSize') ?? firstBatchDefault,
    {
      single: flag(body, 'singleBatch'),
      nowMs: context.now.getTime(),
      stillValid: () => context.store.collection(context.db, name) === collection,
    },
  );
};

type Project = (found: Found) => Doc;

/** Checks and plans a find; explain uses it as well. */
export function prepareFind(
  body: Doc,
  context: CommandContext,
  name: string,
): { query: PlannedQuery; project: Project | undefined } {
  checkFields(body, 'find', known);
  refuseCollation(body);
  for (const option of ['tailable', 'awaitData', 'returnKey', 'showRecordId']) {
    if (flag(body, option)) throw failure('NotImplemented', `${option} is not supported by this server`);
  }
  if (body.min !== undefined || body.max !== undefined)
    throw failure('NotImplemented', 'min and max are not supported by this server');
  const filter = docField(body, 'filter');
  const variables = variablesOf(body, context);
  const projection = docField(body, 'projection');
  const sort = docField(body, 'sort');
  checkSortSpec(sort, body.hint);
  const query = prepareQuery(context.store.collection(context.db, name), {
    filter,
    sort,
    skip: countField(body, 'skip') ?? 0,
    limit: countField(body, 'limit') ?? 0,
    variables,
    ...(body.hint !== undefined && { hint: body.hint }),
  });
  if (Object.keys(projection).length === 0) return { query, project: undefined };
  const project = compileProjection(projection, { variables, filter });
  const roots = keptRootsOf(projection);
  return { query, project: (found) => project(found.fields(roots)) };
}

function* bytesOf(found: Iterable<Found>, project: Project | undefined): Generator<Uint8Array> {
  for (const one of found) yield project ? encodeDocument(project(one)) : one.bytes;
}

export const getMore: Command = (body, context) => {
  const id = body.getMore;
  if (typeof id !== 'bigint')
    throw failure('TypeMismatch', "BSON field 'getMore.getMore' is the wrong type, expected type 'long'");
  checkFields(body, 'getMore', { collection: 'string', batchSize: 'count', term: 'number', lastKnownCommittedOpTime: 'any' });
  requireFields(body, 'getMore', ['collection']);
  // No cursor of this server waits for data.
  if (isNumeric(body.maxTimeMS) && Number(body.maxTimeMS) !== 0)
    throw failure('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor');
  const namespace = `${context.db}.${collectionName(body, 'collection')}`;
  return context.cursors.more(id, namespace, countField(body, 'batchSize') ?? 0, context.now.getTime());
};

export const killCursors: Command = (body, context) => {
  checkFields(body, 'killCursors', { cursors: 'array' });
  requireFields(body, 'killCursors', ['cursors']);
  const ids = arrayField(body, 'cursors');
  const cursorsKilled: bigint[] = [];
  const cursorsNotFound: bigint[] = [];
  for (const id of ids) {
    if (typeof id !== 'bigint') throw failure('TypeMismatch', 'cursor ids must be of type long');
    (context.cursors.kill(id) ? cursorsKilled : cursorsNotFound).push(id);
  }
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
};
