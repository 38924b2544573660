import type { Variables } from '../aggregate/scope.ts';
import { checkVariableName, checkVariables } from '../aggregate/variables.ts';
import { type Doc, isDoc, typeNameOf } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { pathParts } from '../query/field-path.ts';
import type { Collection } from '../storage/collection.ts';
import { checkFields } from './fields.ts';

/** The collection that a pipeline writes to; the database of the command where none is named. */
export type Target = { db: string | undefined; name: string };

const internal = new Set(['admin', 'config', 'local']);

/** Where `$out` writes. */
export function outTarget(spec: unknown, db: string): Target {
  if (typeof spec !== 'string' && !isDoc(spec))
    throw location(16990, `$out only supports a string or object argument, but found ${typeNameOf(spec)}`);
  if (isDoc(spec)) {
    checkFields(spec, '$out', { db: 'string', coll: 'string' });
    if (typeof spec.db !== 'string' || typeof spec.coll !== 'string')
      throw location(40414, "BSON field '$out.db' or '$out.coll' is missing but a required field");
  }
  const target: Target = isDoc(spec) ? { db: String(spec.db), name: String(spec.coll) } : { db: undefined, name: spec };
  checkTarget('$out', target, db, 17385, 31321);
  return target;
}

function checkTarget(stage: string, target: Target, db: string, special: number, inInternal: number): void {
  if (target.name === '' || target.name.includes('$')) throw failure('InvalidNamespace', `Invalid ${stage} target namespace`);
  if (target.name.startsWith('system.')) throw location(special, `Cannot ${stage} to special collection: ${target.name}`);
  if (internal.has(target.db ?? db)) throw location(inInternal, `Cannot ${stage} to internal database: ${target.db ?? db}`);
}

type WhenMatched = 'replace' | 'merge' | 'keepExisting' | 'fail' | readonly unknown[];
type WhenNotMatched = 'insert' | 'discard' | 'fail';

export type Merge = {
  target: Target;
  on: readonly string[];
  whenMatched: WhenMatched;
  whenNotMatched: WhenNotMatched;
  bindings: Doc;
};

const matchedModes = ['replace', 'merge', 'keepExisting', 'fail'] as const;
const notMatchedModes = ['insert', 'discard', 'fail'] as const;

/** What a `$merge` is told. Refuses combinations that the server lacks. */
export function mergeOf(spec: unknown, db: string, outer: Variables): Merge {
  if (typeof spec !== 'string' && !isDoc(spec))
    throw location(51182, `$merge only supports a string or object argument, not ${typeNameOf(spec)}`);
  const options: Doc = isDoc(spec) ? spec : { into: spec };
  checkFields(options, '$merge', { into: 'any', on: 'any', let: 'object', whenMatched: 'any', whenNotMatched: 'string' });
  const target = mergeTarget(options.into);
  checkTarget('$merge', target, db, 31319, 31320);
  const whenMatched = matchedMode(options.whenMatched);
  const whenNotMatched = modeOf(options.whenNotMatched ?? 'insert', notMatchedModes, 'whenNotMatched');
  if ((whenMatched === 'keepExisting' || whenMatched === 'fail') && whenNotMatched !== 'insert')
    throw location(
      51189,
      `Combination of $merge modes 'whenMatched: ${whenMatched}' and 'whenNotMatched: ${whenNotMatched}' is not supported`,
    );
  checkBindings(options.let, Array.isArray(whenMatched), outer);
  return { target, on: onOf(options.on), whenMatched, whenNotMatched, bindings: isDoc(options.let) ? options.let : {} };
}

function mergeTarget(into: unknown): Target {
  if (into === undefined) throw location(40414, "BSON field '$merge.into' is missing but a required field");
  if (typeof into === 'string') {
    if (into === '') throw location(5786800, "$merge 'into' field cannot be an empty string");
    return { db: undefined, name: into };
  }
  if (!isDoc(into))
    throw location(51178, `$merge 'into' field must be either a string or an object, but found ${typeNameOf(into)}`);
  checkFields(into, 'into', { db: 'string', coll: 'string' });
  const { coll, db } = into;
  if (typeof coll !== 'string' || coll === '')
    throw location(5786801, "$merge 'into' field must specify a 'coll' that is not empty, null or undefined");
  return { db: typeof db === 'string' ? db : undefined, name: coll };
}

function onOf(on: unknown): readonly string[] {
  if (on === undefined) return ['_id'];
  if (typeof on !== 'string' && !Array.isArray(on))
    throw location(51186, `$merge 'on' field must be either a string or an array of strings, but found ${typeNameOf(on)}`);
  const fields: string[] = [];
  for (const field of Array.isArray(on) ? on : [on]) {
    if (typeof field !== 'string')
      throw location(51134, `$merge 'on' array elements must be strings, but found ${typeNameOf(field)}`);
    pathParts(field);
    fields.push(field);
  }
  if (fields.length === 0) throw location(51187, "If explicitly specifying $merge 'on', must include at least one field");
  if (new Set(fields).size < fields.length)
    throw location(31465, `Found a duplicate field in the $merge.on list: ${fields.join(', ')}`);
  return fields;
}

function matchedMode(mode: unknown): WhenMatched {
  if (mode === undefined) return 'merge';
  if (Array.isArray(mode)) return mode;
  if (typeof mode !== 'string')
    throw location(51191, `$merge 'whenMatched' field must be either a string or an array, but found ${typeNameOf(mode)}`);
  return modeOf(mode, matchedModes, 'whenMatched');
}

function modeOf<Mode extends string>(mode: unknown, known: readonly Mode[], field: string): Mode {
  const found = known.find((one) => one === mode);
  if (found === undefined)
    throw failure('BadValue', `Enumeration value '${String(mode)}' for field '${field}' is not a valid value.`);
  return found;
}

function checkBindings(bindings: unknown, isPipeline: boolean, outer: Variables): void {
  if (!isDoc(bindings)) return;
  if (!isPipeline) throw location(51199, "Cannot use 'let' variables with another 'whenMatched' mode than a pipeline");
  if ('new' in bindings && bindings.new !== '$$ROOT')
    throw location(51273, "'let' may not define a value for the reserved 'new' variable other than '$$ROOT'");
  for (const [name, value] of Object.entries(bindings)) {
    checkVariableName(name);
    checkVariables(value, outer);
  }
}

/** Refuses fields to merge on that no unique index tells documents apart by. */
export function checkUniqueOn(collection: Collection | undefined, on: readonly string[]): void {
  const wanted = [...on].sort().join();
  const indexes = collection?.allIndexes ?? [];
  const isUnique = (path: readonly string[]) => [...path].sort().join() === wanted;
  const found =
    isUnique(['_id']) ||
    indexes.some(
      ({ unique, partial, spec, fields }) => unique && !partial && !spec.sparse && isUnique(fields.map(({ path }) => path)),
    );
  if (!found) throw location(51183, 'Cannot find index to verify that join fields will be unique');
}

/** The values of a document in the fields to merge on. */
export function mergeKeys(doc: Doc, on: readonly string[]): Doc {
  return Object.fromEntries(
    on.map((path) => {
      let value: unknown = doc;
      for (const part of path.split('.')) {
        if (Array.isArray(value))
          throw location(51185, `$merge write error: 'on' field '${path}' cannot be an array or below one`);
        value = isDoc(value) && Object.hasOwn(value, part) ? value[part] : undefined;
      }
      if (value === undefined || value === null || Array.isArray(value))
        throw location(51132, `$merge write error: 'on' field '${path}' cannot be missing, null, undefined or an array`);
      return [path, value];
    }),
  );
}
