import type { Variables } from '../aggregate/scope.ts';
import { decodeDocument, openDocument } from '../bson/decode.ts';
import { encodeDocument, encodeOpened } from '../bson/encode.ts';
import { type Doc, isDoc } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { prepareQuery, type Query } from '../query/find.ts';
import { type Collection, rootsOfAll, type Stored } from '../storage/collection.ts';
import { compileUpdate, type Update } from '../update/update.ts';
import { checkUpsertFilter, upsertedDocument } from '../update/upsert.ts';
import {
  arrayField,
  type Command,
  type CommandContext,
  collectionName,
  collectionToWrite,
  docField,
  flag,
  refuseCollation,
  variablesOf,
} from './context.ts';
import { checkFields, type Fields } from './fields.ts';
import { checkId } from './insert.ts';
import { isOrdered, runStatements, statementsOf, writeFields } from './statements.ts';

const commandFields: Fields = { ...writeFields, updates: 'array', let: 'object' };

/** `update`: each statement changes one document or all that match, or inserts one. */
export const update: Command = (body, context) => {
  checkFields(body, 'update', commandFields);
  const name = collectionName(body, 'update');
  const variables = variablesOf(body, context);
  const statements = statementsOf(body, 'update', 'updates', statementFields, ['q', 'u']);
  const { replies, writeErrors } = runStatements(body, context, statements, isOrdered(body), (statement) =>
    runStatement(statement, name, variables, context),
  );
  const upserted = replies.flatMap(({ index, reply }) => ('upserted' in reply ? [{ index, _id: reply.upserted }] : []));
  return {
    n: total(replies, 'n'),
    nModified: total(replies, 'nModified'),
    ...(upserted.length > 0 && { upserted }),
    ...(writeErrors.length > 0 && { writeErrors }),
    ok: 1,
  };
};

const total = (replies: ReadonlyArray<{ reply: Doc }>, field: string) =>
  replies.reduce((sum, { reply }) => sum + Number(reply[field] ?? 0), 0);

// Version 7 has no `sort` here; it came with 8.
const statementFields: Fields = {
  ...{
    q: 'object',
    u: 'any',
    c: 'object',
    multi: 'bool',
    upsert: 'bool',
    collation: 'object',
    arrayFilters: 'array',
    hint: 'hint',
  },
};

function runStatement(statement: Doc, name: string, outer: Variables, context: CommandContext): Doc {
  refuseCollation(statement);
  const filter = docField(statement, 'q');
  const multi = flag(statement, 'multi');
  const upsert = flag(statement, 'upsert');
  if (upsert) checkUpsertFilter(filter);
  if (multi && context.retryable) throw failure('InvalidOptions', 'Cannot use (or request) retryable writes with multi=true');
  const variables = { ...outer, ...docField(statement, 'c') };
  const compiled = compileUpdate(statement.u, {
    filter,
    arrayFilters: arrayField(statement, 'arrayFilters'),
    variables,
    now: context.now,
  });
  if (compiled.kind !== 'pipeline' && isDoc(statement.c))
    throw location(51198, 'Constant values may only be specified for pipeline updates');
  if (multi && compiled.kind === 'replacement')
    throw failure('FailedToParse', 'multi update is not supported for replacement-style update');
  const existing = context.store.collection(context.db, name);
  const query: Query = { filter, variables, ...(statement.hint !== undefined && { hint: statement.hint }) };
  const prepared = prepareQuery(existing, multi ? query : { ...query, limit: 1 });
  let matched = 0;
  let modified = 0;
  if (existing) {
    // All are found before the first is changed, or a change could move a document ahead of the walk.
    const targets = multi ? [...prepared.run()].map(({ rid }) => rid) : [];
    if (!multi) {
      for (const found of prepared.run()) {
        matched++;
        if (changeStored(existing, found, compiled, context).changed) modified++;
      }
    }
    for (const rid of targets) {
      const stored = existing.byRid(rid);
      if (!stored) continue;
      matched++;
      if (changeStored(existing, stored, compiled, context).changed) modified++;
    }
  }
  if (matched > 0 || !upsert) return { n: matched, nModified: modified };
  const inserted = insertUpsert(context, name, filter, compiled);
  return { n: 1, nModified: 0, upserted: inserted._id };
}

/** Applies an update to a stored document. What neither the update nor an index that it concerns looks at is not even read. */
export function changeStored(
  collection: Collection,
  found: Stored,
  compiled: Update,
  context: CommandContext,
): { changed: boolean; bytes: Uint8Array } {
  const indexes = collection.indexes.filter((index) => index.dependsOn(compiled.roots));
  const indexed = rootsOfAll(indexes);
  const { fields, pieces } =
    compiled.roots === undefined || indexed === undefined
      ? { fields: decodeDocument(found.bytes), pieces: undefined }
      : openDocument(found.bytes, new Set([...compiled.roots, ...indexed]));
  const before = indexes.map((index) => ({ index, keys: index.entriesOf(fields)?.keys ?? [] }));
  const after = compiled.apply(fields, false);
  const bytes = pieces ? encodeOpened(found.bytes, pieces, after) : encodeDocument(after);
  if (bytes.equals(found.bytes)) return { changed: false, bytes };
  context.store.commits.write();
  collection.replace(found.rid, before, after, bytes);
  return { changed: true, bytes };
}

/** Inserts what an upsert makes of its filter. */
export function insertUpsert(context: CommandContext, name: string, filter: Doc, compiled: Update): Doc {
  const doc = upsertedDocument(filter, compiled);
  checkId(doc._id);
  const collection = collectionToWrite(context, name);
  context.store.commits.write();
  collection.insert(encodeDocument(doc));
  return doc;
}
