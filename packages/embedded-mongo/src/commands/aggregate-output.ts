import { compileExpression } from '../aggregate/expression.ts';
import type { Variables } from '../aggregate/scope.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Doc } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { type Found, prepareQuery } from '../query/find.ts';
import type { Collection } from '../storage/collection.ts';
import { compileUpdate } from '../update/update.ts';
import { withId } from '../update/upsert.ts';
import { type CommandContext, collectionToWrite } from './context.ts';
import { storedForm } from './insert.ts';
import { changeStored } from './update.ts';
import { checkUniqueOn, type Merge, mergeKeys, mergeOf, outTarget, type Target } from './write-stage-options.ts';

type Output = (docs: Iterable<Doc>) => Iterable<Doc>;

/** The stage that writes a pipeline's result, undefined if a stage is not one. */
export function writeStage(stage: Doc, context: CommandContext, variables: Variables): Output | undefined {
  if ('$out' in stage) return out(stage.$out, context);
  if ('$merge' in stage) return merge(stage.$merge, context, variables);
  return undefined;
}

function placed(context: CommandContext, { db, name }: Target): { into: CommandContext; name: string } {
  return { into: db === undefined ? context : { ...context, db }, name };
}

function out(spec: unknown, context: CommandContext): Output {
  const { into, name } = placed(context, outTarget(spec, context.db));
  return (docs) => {
    const result = [...docs].map((doc) => storedForm(encodeDocument(withId(doc))));
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
  const options = mergeOf(spec, context.db, outer);
  const { into, name } = placed(context, options.target);
  checkUniqueOn(into.store.collection(into.db, name), options.on);
  checkMergePipeline(options, outer, context);
  return (docs) => {
    const collection = collectionToWrite(into, name);
    for (const given of docs) {
      const doc = options.on.includes('_id') ? withId(given) : given;
      const filter = mergeKeys(doc, options.on);
      const [found] = prepareQuery(collection, { filter, variables: {}, limit: 1 }).run();
      if (found) mergeInto(options, collection, found, doc, into, outer);
      else if (options.whenNotMatched === 'fail')
        throw location(
          13113,
          '$merge could not find a matching document in the target collection for at least one document in the source collection',
        );
      else if (options.whenNotMatched === 'insert') {
        into.store.commits.write();
        collection.insert(storedForm(encodeDocument(withId(doc))));
      }
    }
    return [];
  };
}

/** A pipeline is compiled for each document, whose variables it has; here only to refuse what is wrong before there is one. */
function checkMergePipeline({ whenMatched, bindings }: Merge, outer: Variables, context: CommandContext): void {
  if (!Array.isArray(whenMatched)) return;
  const variables = { ...outer, new: null, ...bindings };
  compileUpdate(whenMatched, { filter: {}, arrayFilters: [], variables, now: context.now });
}

function mergeInto(
  { whenMatched, bindings }: Merge,
  collection: Collection,
  found: Found,
  doc: Doc,
  into: CommandContext,
  outer: Variables,
): void {
  if (whenMatched === 'keepExisting') return;
  if (whenMatched === 'fail') {
    // The insert meets the document that was found, and reports it as any other insert would.
    collection.insert(encodeDocument(withId(doc)));
    throw failure('InternalError', '$merge found a document that is no duplicate');
  }
  const update = whenMatched === 'replace' ? doc : whenMatched === 'merge' ? { $set: doc } : whenMatched;
  const bound = Object.entries(bindings).map(([variable, value]) => {
    return [variable, compileExpression(value)({ root: doc, current: doc, variables: outer }) ?? null];
  });
  const variables = { ...outer, new: doc, ...Object.fromEntries(bound) };
  changeStored(collection, found, compileUpdate(update, { filter: {}, arrayFilters: [], variables, now: into.now }), into);
}
