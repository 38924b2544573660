import { compileExpression } from '../aggregate/expression.ts';
import type { Variables } from '../aggregate/scope.ts';
import { encodeDocument } from '../bson/encode.ts';
import { type Doc, isDoc } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { prepareQuery } from '../query/find.ts';
import { compileUpdate, withId } from '../update/update.ts';
import { type CommandContext, collectionToWrite } from './context.ts';
import { changeStored } from './update.ts';

type Output = (docs: Iterable<Doc>) => Iterable<Doc>;

/** The stage that writes a pipeline's result, undefined if a stage is not one. */
export function writeStage(stage: Doc, context: CommandContext, variables: Variables): Output | undefined {
  if ('$out' in stage) return out(stage.$out, context);
  if ('$merge' in stage) return merge(stage.$merge, context, variables);
  return undefined;
}

function target(spec: unknown, context: CommandContext): { context: CommandContext; name: string } {
  if (typeof spec === 'string') return { context, name: spec };
  if (isDoc(spec) && typeof spec.db === 'string' && typeof spec.coll === 'string') {
    return { context: { ...context, db: spec.db }, name: spec.coll };
  }
  throw location(16990, '$out and $merge need the name of a collection');
}

function out(spec: unknown, context: CommandContext): Output {
  const { context: into, name } = target(spec, context);
  return (docs) => {
    const result = [...docs].map((doc) => encodeDocument(withId(doc)));
    const old = into.store.collection(into.db, name);
    const indexes = old?.indexes.map((index) => index.spec) ?? [];
    if (old) into.store.dropCollection(old);
    const collection = collectionToWrite(into, name);
    if (indexes.length > 0) into.store.createIndexes(collection, indexes);
    for (const bytes of result) collection.insert(bytes);
    return [];
  };
}

function merge(spec: unknown, context: CommandContext, outer: Variables): Output {
  const options: Doc = isDoc(spec) ? spec : { into: spec };
  const { context: into, name } = target(options.into, context);
  const on = options.on ?? '_id';
  const fields = (Array.isArray(on) ? on : [on]).map(String);
  const matched = options.whenMatched ?? 'merge';
  const unmatched = options.whenNotMatched ?? 'insert';
  if (!['insert', 'discard', 'fail'].includes(String(unmatched)))
    throw failure('BadValue', `unknown whenNotMatched '${String(unmatched)}'`);
  return (docs) => {
    const collection = collectionToWrite(into, name);
    for (const doc of docs) {
      const filter = Object.fromEntries(fields.map((field) => [field, doc[field]]));
      const found = prepareQuery(collection, { filter, variables: {}, limit: 1 }).run().next().value;
      if (found) mergeInto(found, doc);
      else if (unmatched === 'fail')
        throw location(
          13113,
          '$merge could not find a matching document in the target collection for at least one document in the source collection',
        );
      else if (unmatched === 'insert') {
        into.store.commits.write();
        collection.insert(encodeDocument(withId(doc)));
      }
    }
    return [];

    function mergeInto(
      found: NonNullable<ReturnType<ReturnType<typeof prepareQuery>['run']> extends Generator<infer T> ? T : never>,
      doc: Doc,
    ) {
      if (matched === 'keepExisting') return;
      if (matched === 'fail') {
        // The insert meets the document that was found, and tells of it as any other insert would.
        collection.insert(encodeDocument(withId(doc)));
        throw failure('InternalError', '$merge found a document that is no duplicate');
      }
      const { _id, ...rest } = doc;
      const update = Array.isArray(matched)
        ? matched
        : matched === 'replace'
          ? rest
          : matched === 'merge'
            ? { $set: rest }
            : undefined;
      if (!update) throw failure('BadValue', `unknown whenMatched '${String(matched)}'`);
      const bound = Object.entries(isDoc(options.let) ? options.let : {}).map(([variable, value]) => {
        return [variable, compileExpression(value)({ root: doc, current: doc, variables: outer }) ?? null];
      });
      const variables = { ...outer, new: doc, ...Object.fromEntries(bound) };
      changeStored(collection, found, compileUpdate(update, { filter: {}, arrayFilters: [], variables, now: context.now }), into);
    }
  };
}
