import type { Variables } from '../aggregate/scope.ts';
import { compileUpdatePipeline } from '../aggregate/update-pipeline.ts';
import { equalValues } from '../bson/compare.ts';
import { type Doc, isDoc, typeNameOf } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { matchedPosition } from '../query/matched-position.ts';
import { isPosition } from '../query/path.ts';
import { pipelineRootsOf, rootOf } from '../query/roots.ts';
import { compileArrayFilters } from './array-filters.ts';
import { modifiers } from './modifiers.ts';
import { type Change, changeAt, concretePaths, copy, type MakeChange, type Positions } from './paths.ts';
import { type Rename, rename, renameOf } from './rename.ts';
import { checkConflicts, isPositional, updatableParts } from './update-path.ts';

/** A compiled update. `apply` may change the document it is given, which must be the caller's own copy. */
export type Update = {
  kind: 'modifiers' | 'replacement' | 'pipeline';
  /** The fields of the first level that it reads or changes; undefined where these may be any. */
  roots: ReadonlySet<string> | undefined;
  apply: (doc: Doc, inserting: boolean) => Doc;
};

export type UpdateContext = { filter: Doc; arrayFilters: readonly unknown[]; variables: Variables; now: Date };

/** Compiles an update: a replacement, a document of modifiers or a pipeline. Refuses what the server refuses. */
export function compileUpdate(update: unknown, context: UpdateContext): Update {
  if (Array.isArray(update)) {
    if (context.arrayFilters.length > 0)
      throw failure('FailedToParse', 'arrayFilters may not be specified for pipeline-style updates');
    const run = compileUpdatePipeline(update, context.variables);
    return { kind: 'pipeline', roots: pipelineRootsOf(update), apply: (doc) => checkedId(doc, run(doc)) };
  }
  if (!isDoc(update)) throw failure('FailedToParse', 'Update argument must be either an object or an array');
  const [first] = Object.keys(update);
  if (first?.startsWith('$')) return compileModifiers(update, context);
  if (context.arrayFilters.length > 0)
    throw failure('FailedToParse', 'arrayFilters may not be specified for replacement-style updates');
  for (const name of Object.keys(update)) {
    if (name.startsWith('$'))
      throw failure(
        'DollarPrefixedFieldName',
        `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document.`,
      );
  }
  return {
    kind: 'replacement',
    roots: undefined,
    apply: (doc) => checkedId(doc, { ...('_id' in doc ? { _id: doc._id } : {}), ...update }),
  };
}

/** An update may not give a stored document another `_id`. */
function checkedId(before: Doc, after: Doc): Doc {
  if (!('_id' in before)) return after;
  if (!('_id' in after)) return { _id: before._id, ...after };
  if (!equalValues(before._id, after._id)) {
    throw failure('ImmutableField', "After applying the update, the (immutable) field '_id' was found to have been altered");
  }
  return { ...{ _id: before._id }, ...after, _id: before._id };
}

type Modification = { path: string; parts: readonly string[]; change: Change; onInsertOnly: boolean };

function compileModifiers(update: Doc, context: UpdateContext): Update {
  const modifications: Modification[] = [];
  const renames: Rename[] = [];
  for (const [name, fields] of Object.entries(update)) {
    const make = modifiers.get(name);
    checkModifier(name, fields, make !== undefined || name === '$rename');
    for (const [path, operand] of Object.entries(fields)) {
      if (make) modifications.push(modification(name, path, make, operand, context.now));
      else renames.push(renameOf(path, operand));
    }
  }
  checkConflicts([
    ...modifications.map(({ path }) => path),
    ...renames.flatMap(({ from, to }) => [from.join('.'), to.join('.')]),
  ]);
  // New fields are appended in the order of their paths, not in the order they were written.
  modifications.sort((a, b) => comparePaths(a.parts, b.parts));
  const filters = compileArrayFilters(
    context.arrayFilters,
    modifications.map(({ parts }) => parts),
  );
  const isDynamic = modifications.some(({ parts }) => parts.some(isPositional));
  return {
    kind: 'modifiers',
    roots: isDynamic ? undefined : changedRoots(modifications, renames),
    apply: (doc, inserting) => {
      // A path below `_id` would change the document that is compared with.
      const _id = copy(doc._id);
      const hadId = '_id' in doc;
      const due = inserting ? modifications : modifications.filter(({ onInsertOnly }) => !onInsertOnly);
      // No element of an array has been matched where a document is made.
      const matched = (path: readonly string[]) => (inserting ? undefined : matchedPosition(doc, context.filter, path));
      if (!isDynamic) for (const { parts, change } of due) changeAt(doc, parts, change);
      else changeAtPositions(doc, due, { filters, matched });
      for (const one of renames) rename(doc, one);
      if (hadId && (!('_id' in doc) || !equalValues(doc._id, _id))) {
        throw failure('ImmutableField', "Performing an update on the path '_id' would modify the immutable field '_id'");
      }
      return doc;
    },
  };
}

function checkModifier(name: string, fields: unknown, isKnown: boolean): asserts fields is Doc {
  if (!isKnown) {
    throw failure(
      'FailedToParse',
      `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
    );
  }
  if (!isDoc(fields))
    throw failure(
      'FailedToParse',
      `Modifiers operate on fields but we found type ${typeNameOf(fields)} instead. For example: {$mod: {<field>: ...}} not {${name}: ${String(fields)}}`,
    );
}

/** Where positions decide on the paths, two modifiers may turn out to mean the same element. */
function changeAtPositions(doc: Doc, due: readonly Modification[], positions: Positions): void {
  const targets = due.flatMap(({ parts, change }) => concretePaths(doc, parts, positions).map((path) => ({ path, change })));
  if (due.length > 1) checkConflicts(targets.map(({ path }) => path.join('.')));
  for (const { path, change } of targets) changeAt(doc, path, change);
}

function changedRoots(modifications: readonly Modification[], renames: readonly Rename[]): ReadonlySet<string> {
  const moved = renames.flatMap(({ from, to }) => [from[0] ?? '', to[0] ?? '']);
  return new Set(['_id', ...modifications.map(({ path }) => rootOf(path)), ...moved]);
}

function modification(name: string, path: string, make: MakeChange, operand: unknown, now: Date): Modification {
  const parts = updatableParts(path);
  return { path, parts, change: make(path, operand, now), onInsertOnly: name === '$setOnInsert' };
}

function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const [left = '', right = ''] = [a[at], b[at]];
    if (left === right) continue;
    if (isPosition(left) && isPosition(right)) return Number(left) - Number(right);
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}
