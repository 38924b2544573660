import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { isPosition } from '../query/path.ts';
import { changeAt, untraversable } from './paths.ts';
import { isPositional, updatableParts } from './update-path.ts';

export type Rename = { from: readonly string[]; to: readonly string[] };

const bad = (message: string) => failure('BadValue', message);

/** Reads one field of `$rename`. */
export function renameOf(source: string, target: unknown): Rename {
  const from = updatableParts(source);
  if (typeof target !== 'string') throw bad(`The 'to' field for $rename must be a string: ${source}`);
  const to = updatableParts(target);
  if (target.includes('\0')) throw bad("The 'to' field for $rename cannot contain an embedded null byte");
  if (source === target) throw bad(`The source and target field for $rename must differ: ${source}: "${target}"`);
  if (target.startsWith(`${source}.`) || source.startsWith(`${target}.`))
    throw bad(`The source and target field for $rename must not be on the same path: ${source}: "${target}"`);
  if (from.some(isPositional)) throw bad(`The source field for $rename may not be dynamic: ${source}`);
  if (to.some(isPositional)) throw bad(`The destination field for $rename may not be dynamic: ${target}`);
  return { from, to };
}

/** Moves a value to another path; neither path may lead through an array. */
export function rename(doc: Doc, { from, to }: Rename): void {
  const source = sourceOf(doc, from);
  if (source === undefined) return;
  refuseArrays(doc, to);
  delete source.parent[from.at(-1) ?? ''];
  changeAt(doc, to, () => source.value);
}

function sourceOf(doc: Doc, from: readonly string[]): { parent: Doc; value: unknown } | undefined {
  let parent = doc;
  let value: unknown = doc;
  let array = false;
  for (const part of from) {
    if (isDoc(value)) {
      parent = value;
      value = Object.hasOwn(value, part) ? value[part] : undefined;
    } else if (Array.isArray(value) && isPosition(part)) {
      array = true;
      value = value[Number(part)];
    } else throw untraversable(part, from);
    if (value === undefined) return undefined;
  }
  if (array) throw bad(`The source field cannot be an array element: ${from.join('.')}`);
  return { parent, value };
}

function refuseArrays(doc: Doc, to: readonly string[]): void {
  let value: unknown = doc;
  for (const part of to) {
    if (Array.isArray(value)) throw bad(`The destination field cannot be an array element: ${to.join('.')}`);
    if (!isDoc(value)) return;
    value = Object.hasOwn(value, part) ? value[part] : undefined;
  }
}
