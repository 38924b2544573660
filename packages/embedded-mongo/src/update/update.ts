import { ObjectId } from 'bson';
import type { Variables } from '../aggregate/scope.ts';
import { compileUpdatePipeline } from '../aggregate/update-pipeline.ts';
import { equalValues } from '../bson/compare.ts';
import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { compileItem } from '../query/match.ts';
import { isOperatorDoc } from '../query/match-values.ts';
import { matchedPosition } from '../query/matched-position.ts';
import { isPosition, setField, valueAt } from '../query/path.ts';
import { pipelineRootsOf, rootOf } from '../query/roots.ts';
import { type MakeChange, modifiers } from './modifiers.ts';
import { type Change, changeAt, concretePaths, type Positions } from './paths.ts';

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

type Modification = { name: string; path: string; parts: readonly string[]; change: Change; onInsertOnly: boolean };

function compileModifiers(update: Doc, context: UpdateContext): Update {
  const modifications: Modification[] = [];
  const renames: Array<{ from: string; to: string }> = [];
  for (const [name, fields] of Object.entries(update)) {
    const make = modifiers.get(name);
    if (!make && name !== '$rename') {
      throw failure(
        'FailedToParse',
        `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isDoc(fields))
      throw failure(
        'FailedToParse',
        `Modifiers operate on fields but we found type ${typeof fields} instead. For example: {$mod: {<field>: ...}} not {${name}: ${String(fields)}}`,
      );
    for (const [path, operand] of Object.entries(fields)) {
      if (make) modifications.push(modification(name, path, make, operand, context.now));
      else renames.push({ from: path, to: renameTarget(path, operand) });
    }
  }
  checkConflicts([...modifications.map(({ path }) => path), ...renames.flatMap(({ from, to }) => [from, to])]);
  // New fields are appended in the order of their paths, not in the order they were written.
  modifications.sort((a, b) => comparePaths(a.parts, b.parts));
  const positions = positionsOf(context);
  return {
    kind: 'modifiers',
    roots: changedRoots(modifications, renames),
    apply: (doc, inserting) => {
      const id = doc._id;
      const hadId = '_id' in doc && !inserting;
      const narrowed = positions(doc);
      for (const one of modifications) {
        if (one.onInsertOnly && !inserting) continue;
        for (const parts of concretePaths(doc, one.parts, narrowed)) changeAt(doc, parts, one.change);
      }
      for (const { from, to } of renames) rename(doc, from, to);
      if (hadId && (!('_id' in doc) || !equalValues(doc._id, id))) {
        throw failure('ImmutableField', "Performing an update on the path '_id' would modify the immutable field '_id'");
      }
      return doc;
    },
  };
}

/** A positional operator asks the filter which element is meant, and that may look at any field. */
function changedRoots(
  modifications: readonly Modification[],
  renames: ReadonlyArray<{ from: string; to: string }>,
): ReadonlySet<string> | undefined {
  if (modifications.some(({ parts }) => parts.some((part) => part.startsWith('$')))) return undefined;
  const paths = [...modifications.map(({ path }) => path), ...renames.flatMap(({ from, to }) => [from, to])];
  return new Set(['_id', ...paths.map(rootOf)]);
}

function modification(name: string, path: string, make: MakeChange, operand: unknown, now: Date): Modification {
  const parts = path.split('.');
  if (parts.includes(''))
    throw failure('FailedToParse', `The update path '${path}' contains an empty field name, which is not allowed.`);
  if (parts[0]?.startsWith('$'))
    throw failure('BadValue', `Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
  return { name, path, parts, change: make(path, operand, now), onInsertOnly: name === '$setOnInsert' };
}

function renameTarget(from: string, to: unknown): string {
  if (typeof to !== 'string') throw failure('BadValue', `The 'to' field for $rename must be a string: ${from}`);
  if (from === to) throw failure('BadValue', `The source and target field for $rename must differ: ${from}: "${to}"`);
  return to;
}

function rename(doc: Doc, from: string, to: string): void {
  const value = valueAt(doc, from.split('.'));
  if (value === undefined) return;
  const fromParts = from.split('.');
  const parent = fromParts.length > 1 ? valueAt(doc, fromParts.slice(0, -1)) : doc;
  if (!isDoc(parent)) throw failure('BadValue', `The source field for $rename cannot be an array element: ${from}`);
  delete parent[fromParts.at(-1) ?? ''];
  changeAt(doc, to.split('.'), () => value);
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

function checkConflicts(paths: readonly string[]): void {
  const all = new Set(paths);
  for (const path of [...paths].sort()) {
    const isTwice = all.size < paths.length && paths.indexOf(path) !== paths.lastIndexOf(path);
    const clash = beginningOf(path, all) ?? (isTwice ? path : undefined);
    if (clash !== undefined) {
      throw failure('ConflictingUpdateOperators', `Updating the path '${path}' would create a conflict at '${clash}'`);
    }
  }
}

/** Another path of these that this one begins with. */
function beginningOf(path: string, all: ReadonlySet<string>): string | undefined {
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const beginning = path.slice(0, dot);
    if (all.has(beginning)) return beginning;
  }
  return undefined;
}

function positionsOf(context: UpdateContext): (doc: Doc) => Positions {
  const filters = new Map<string, (item: unknown) => boolean>();
  for (const one of context.arrayFilters) {
    if (!isDoc(one)) throw failure('TypeMismatch', 'BSON field arrayFilters must be an array of objects');
    const name = identifierOf(one);
    if (name === undefined)
      throw failure('FailedToParse', 'Cannot use an expression without a top-level field name in arrayFilters');
    if (filters.has(name))
      throw failure('FailedToParse', `Found multiple array filters with the same top-level field name ${name}`);
    const test = compileItem({ $and: [one] }, {}, 'arrayFilters');
    filters.set(name, (item) => test({ [name]: item }));
  }
  return (doc) => ({ filters, matched: (path) => matchedPosition(doc, context.filter, path) });
}

function identifierOf(filter: Doc): string | undefined {
  for (const [name, value] of Object.entries(filter)) {
    if (!name.startsWith('$')) return name.split('.')[0];
    if (Array.isArray(value)) for (const inner of value) if (isDoc(inner)) return identifierOf(inner);
  }
  return undefined;
}

/** The document an upsert starts from: what the filter says is equal. */
export function upsertBase(filter: Doc): Doc {
  const doc: Doc = {};
  addEqualities(doc, filter);
  return doc;
}

function addEqualities(doc: Doc, filter: Doc): void {
  for (const [name, operand] of Object.entries(filter)) {
    if (name === '$and' && Array.isArray(operand)) {
      for (const part of operand) if (isDoc(part)) addEqualities(doc, part);
    } else if (name === '$or' && Array.isArray(operand) && operand.length === 1 && isDoc(operand[0])) {
      addEqualities(doc, operand[0]);
    } else if (!name.startsWith('$')) {
      const value = equality(operand);
      if (value !== undefined) changeAt(doc, name.split('.'), () => value);
    }
  }
}

function equality(operand: unknown): unknown {
  if (!isOperatorDoc(operand))
    return typeof operand === 'object' && operand !== null && '_bsontype' in operand && operand._bsontype === 'BSONRegExp'
      ? undefined
      : operand;
  if ('$eq' in operand) return operand.$eq;
  const one = operand.$in ?? operand.$all;
  return Array.isArray(one) && one.length === 1 ? one[0] : undefined;
}

/** Puts `_id` in front, making one where there is none. */
export function withId(doc: Doc): Doc {
  const { _id, ...rest } = doc;
  const complete: Doc = { _id: _id === undefined ? new ObjectId() : _id };
  for (const [name, value] of Object.entries(rest)) setField(complete, name, value);
  return complete;
}
