import { decodeDocument } from '../bson/decode.ts';
import type { Doc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { type Found, prepareQuery } from '../query/find.ts';
import { compileProjection } from '../query/project.ts';
import { compileUpdate } from '../update/update.ts';
import {
  arrayField,
  type Command,
  type CommandContext,
  collectionName,
  docField,
  flag,
  onlyKnown,
  refuseCollation,
  stringField,
  variablesOf,
} from './context.ts';
import { changeStored, insertUpsert } from './update.ts';

/** `findAndModify`: finds one document, changes or removes it, and answers it as it was or as it is. */
export const findAndModify: Command = (body, context) => {
  const command = 'findAndModify' in body ? 'findAndModify' : 'findandmodify';
  onlyKnown(body, command, [
    ...['query', 'sort', 'remove', 'update', 'new', 'fields', 'upsert', 'arrayFilters', 'hint', 'let', 'collation'],
    ...['bypassDocumentValidation', 'stmtId'],
  ]);
  refuseCollation(body);
  const statement = Number(body.stmtId ?? 0);
  const earlier = context.retryable?.earlier(statement);
  if (earlier) return { ...earlier, ok: 1 };
  const result = run(body, context, collectionName({ name: stringField(body, command) }, 'name'));
  context.retryable?.executed(statement, result);
  return { ...result, ok: 1 };
};

function run(body: Doc, context: CommandContext, name: string): Doc {
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
  const filter = docField(body, 'query');
  const variables = variablesOf(body, context);
  const fields = docField(body, 'fields');
  const project = Object.keys(fields).length > 0 ? compileProjection(fields, { variables, filter }) : (doc: Doc) => doc;
  const collection = context.store.collection(context.db, name);
  const compiled = remove
    ? undefined
    : compileUpdate(body.update, { filter, arrayFilters: arrayField(body, 'arrayFilters'), variables, now: context.now });
  const query = prepareQuery(collection, {
    filter,
    sort: docField(body, 'sort'),
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
