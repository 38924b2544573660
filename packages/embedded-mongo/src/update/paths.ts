import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { isPosition, setField } from '../query/path.ts';
import type { ArrayFilters } from './array-filters.ts';
import { identifierOf, isPositional } from './update-path.ts';

/** What a modifier makes of a value: a new one, or one of the marks below. */
export const unchanged = Symbol('unchanged');
export const removed = Symbol('removed');
/** There is no value to change and none is made, but the path must be one that could be. */
export const absent = Symbol('absent');
export type Change = (old: unknown) => unknown;

/** Makes the change that one modifier asks for at one path. */
export type MakeChange = (path: string, operand: unknown, now: Date) => Change;

/** `operand` is shared by all documents of an update, so what is stored is a copy. */
export function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (isDoc(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner)]));
  return value;
}

/** Which elements `$[name]` stands for, and which position `$` stands for. */
export type Positions = {
  filters: ArrayFilters;
  /** The position in the array at this path that the filter matched. */
  matched: (arrayPath: readonly string[]) => number | undefined;
};

/** Replaces `$`, `$[]` and `$[name]` in a path by the positions they stand for in a document. */
export function concretePaths(doc: Doc, parts: readonly string[], positions: Positions): string[][] {
  if (!parts.some(isPositional)) return [[...parts]];
  const found: string[][] = [];
  const walk = (value: unknown, from: number, path: string[]): void => {
    const part = parts[from];
    if (part === undefined) {
      found.push(path);
      return;
    }
    if (!isPositional(part)) {
      const inner = isDoc(value) ? value[part] : Array.isArray(value) && isPosition(part) ? value[Number(part)] : undefined;
      walk(inner, from + 1, [...path, part]);
      return;
    }
    for (const position of positionsFor(part, value, path, positions)) {
      walk(Array.isArray(value) ? value[position] : undefined, from + 1, [...path, String(position)]);
    }
  };
  walk(doc, 0, []);
  return found;
}

function positionsFor(part: string, value: unknown, path: readonly string[], positions: Positions): number[] {
  if (part === '$') {
    const position = positions.matched(path);
    if (position === undefined) {
      throw failure('BadValue', 'The positional operator did not find the match needed from the query.');
    }
    return [position];
  }
  if (value === undefined) {
    throw failure('BadValue', `The path '${path.join('.')}' must exist in the document in order to apply array updates.`);
  }
  if (!Array.isArray(value))
    throw failure('BadValue', `Cannot apply array updates to non-array element ${path.at(-1)}: ${String(value)}`);
  const name = identifierOf(part);
  if (!name) return value.map((_, position) => position);
  const filter = positions.filters.get(name);
  if (!filter) throw failure('BadValue', `No array filter found for identifier '${name}' in path '${[...path, part].join('.')}'`);
  return value.flatMap((item, position) => (filter(item) ? [position] : []));
}

/** The most nulls that an update may put before a new position in an array, as on the server. */
const paddingMax = 1_500_000;

/** Changes the value at a concrete path, creating the documents on the way where a new value comes. */
export function changeAt(doc: Doc, parts: readonly string[], change: Change): void {
  let container: Doc | unknown[] = doc;
  for (let at = 0; at < parts.length - 1; at++) {
    const part = parts[at] ?? '';
    const inner = childOf(container, part);
    if (inner === undefined) {
      const value = newValue(change);
      if (value === unchanged) return;
      if (value === absent) {
        requireViable(container, parts, at);
        return;
      }
      const rest = parts.slice(at + 1);
      putChild(
        container,
        part,
        rest.reduceRight<unknown>((nested, name) => fieldOf(name, nested), value),
        parts,
        at,
      );
      return;
    }
    if (Array.isArray(inner) || isDoc(inner)) {
      container = inner;
      continue;
    }
    const value = newValue(change);
    if (value === unchanged) return;
    if (value === absent) throw untraversable(parts[at + 1] ?? '', parts);
    throw notViable(parts[at + 1] ?? '', parts[at] ?? '');
  }
  changeChild(container, parts, change);
}

function newValue(change: Change): unknown {
  const value = change(undefined);
  return value === removed ? unchanged : value;
}

function changeChild(container: Doc | unknown[], parts: readonly string[], change: Change): void {
  const name = parts.at(-1) ?? '';
  const old = childOf(container, name);
  const value = change(old);
  if (value === unchanged) return;
  if (value === absent) {
    requireViable(container, parts, parts.length - 1);
    return;
  }
  if (value !== removed) {
    putChild(container, name, value, parts, parts.length - 1);
    return;
  }
  if (old === undefined) return;
  // An array keeps its length: the element becomes null.
  if (Array.isArray(container)) container[Number(name)] = null;
  else delete container[name];
}

function requireViable(container: Doc | unknown[], parts: readonly string[], at: number): void {
  const part = parts[at] ?? '';
  if (Array.isArray(container) && !isPosition(part)) throw untraversable(part, parts);
}

function childOf(container: Doc | unknown[], name: string): unknown {
  if (Array.isArray(container)) return isPosition(name) ? container[Number(name)] : undefined;
  return Object.hasOwn(container, name) ? container[name] : undefined;
}

function putChild(container: Doc | unknown[], name: string, value: unknown, parts: readonly string[], at: number): void {
  if (!Array.isArray(container)) {
    setField(container, name, value);
    return;
  }
  if (!isPosition(name)) throw notViable(name, parts[at - 1] ?? '');
  const position = Number(name);
  if (position - container.length > paddingMax)
    throw failure('BadValue', 'can not backfill array to larger than 1500000 elements');
  while (container.length < position) container.push(null);
  container[position] = value;
}

function fieldOf(name: string, value: unknown): Doc {
  const doc: Doc = {};
  setField(doc, name, value);
  return doc;
}

const notViable = (field: string, element: string) =>
  failure('PathNotViable', `Cannot create field '${field}' in element {${element}}`);

/** Refuses a path that leads through a value that is neither a document nor, by position, an array. */
export const untraversable = (part: string, parts: readonly string[]) =>
  failure('PathNotViable', `Cannot use the part (${part}) of (${parts.join('.')}) to traverse the element`);
