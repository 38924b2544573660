import { decodeDocument } from '../bson/decode.ts';
import type { Doc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { type Found, prepareQuery } from '../query/find.ts';
import { compileProjection } from '../query/project.ts';
import { compileUpdate } from '../update/update.ts';
import { checkUpsertFilter } from '../update/upsert.ts';
import {
  arrayField,
  type Command,
  type CommandContext,
  collectionName,
  docField,
  flag,
  refuseCollation,
  stringField,
  variablesOf,
} from './context.ts';
import { checkFields, type Fields } from './fields.ts';
import { checkSortSpec } from './sort-spec.ts';
import { changeStored, insertUpsert } from './update.ts';

const fields: Fields = {
  ...{ query: 'object', sort: 'object', remove: 'flag', update: 'any', new: 'flag', fields: 'object', upsert: 'flag' },
  ...{
    arrayFilters: 'array',
    hint: 'hint',
    let: 'object',
    collation: 'object',
    bypassDocumentValidation: 'flag',
    stmtId: 'number',
  },
};

/** `findAndModify`: finds one document, changes or removes it, and answers it as it was or as it is. */
export const findAndModify: Command = (body, context) => {
  const command = 'findAndModify' in body ? 'findAndModify' : 'findandmodify';
  checkFields(body, command, fields);
  refuseCollation(body);
  const statement = Number(body.stmtId ?? 0);
  const earlier = context.retryable?.earlier(statement);
  if (earlier) return { ...earlier, ok: 1 };
  const result = run(body, context, collectionName({ name: stringField(body, command) }, 'name'));
  context.retryable?.executed(statement, result);
  return { ...result, ok: 1 };
};

/** Refuses options that exclude each other. */
function checkOptions(body: Doc): void {
  const remove = flag(body, 'remove');
  const upsert = flag(body, 'upsert');
  const returnNew = flag(body, 'new');
  if (remove && body.update !== undefined) throw failure('FailedToParse', "Cannot specify both an 'update' and 'remove'=true");
  if (remove && upsert) throw failure('FailedToParse', "Cannot specify both 'upsert'=true and 'remove'=true");
  if (remove && returnNew)
    throw failure(
      'FailedToParse',
      "Cannot specify both 'new'=true and 'remove'=true; 'remove' always returns the deleted document",
    );
  if (!remove && body.update === undefined)
    throw failure('FailedToParse', "Either an 'update' or 'remove'=true must be specified");
  const arrayFilters = arrayField(body, 'arrayFilters');
  if (arrayFilters.length > 0 && remove) throw failure('FailedToParse', "Cannot specify 'arrayFilters' and 'remove'=true");
  if (arrayFilters.length > 0 && Array.isArray(body.update))
    throw failure('FailedToParse', "Cannot specify 'arrayFilters' and a pipeline update");
}

function run(body: Doc, context: CommandContext, name: string): Doc {
  checkOptions(body);
  const { remove, upsert, returnNew } = {
    remove: flag(body, 'remove'),
    upsert: flag(body, 'upsert'),
    returnNew: flag(body, 'new'),
  };
  const filter = docField(body, 'query');
  const sort = docField(body, 'sort');
  checkSortSpec(sort, body.hint);
  if (upsert) checkUpsertFilter(filter);
  const variables = variablesOf(body, context);
  const projection = docField(body, 'fields');
  if (returnNew && Object.keys(projection).some((path) => path.endsWith('.$')))
    throw failure('BadValue', 'findAndModify: cannot use a positional projection and return the new document');
  const project = Object.keys(projection).length > 0 ? compileProjection(projection, { variables, filter }) : (doc: Doc) => doc;
  const collection = context.store.collection(context.db, name);
  const compiled = remove
    ? undefined
    : compileUpdate(body.update, { filter, arrayFilters: arrayField(body, 'arrayFilters'), variables, now: context.now });
  const query = prepareQuery(collection, {
    filter,
    sort,
    limit: 1,
    variables,
    ...(body.hint !== undefined && { hint: body.hint }),
  });
  const found: Found | undefined = query.run().next().value ?? undefined;
  if (found && collection) {
    if (!compiled) {
      const value = project(found.doc);
      context.store.commits.write();
      collection.remove(found);
      return { lastErrorObject: { n: 1 }, value };
    }
    const before = returnNew ? undefined : project(found.doc);
    const { bytes } = changeStored(collection, found, compiled, context);
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: before ?? project(decodeDocument(bytes)) };
  }
  if (!compiled) return { lastErrorObject: { n: 0 }, value: null };
  if (!upsert) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null };
  const inserted = insertUpsert(context, name, filter, compiled);
  return {
    lastErrorObject: { n: 1, updatedExisting: false, upserted: inserted._id },
    value: returnNew ? project(inserted) : null,
  };
}
