import type { Variables } from '../aggregate/scope.ts';
import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { location } from '../errors.ts';
import { compileItem } from './match.ts';
import { matchedPosition } from './matched-position.ts';
import { valueAt } from './path.ts';

/** The three projections that find alone has: the element that the filter matched, the first that matches, a slice. */
type Value = (doc: Doc) => unknown;

/** Where `$` stands in the name of a field: what follows it, empty at the end; undefined if it has none. */
export function positionIn(name: string): string | undefined {
  const middle = name.indexOf('.$.');
  if (middle >= 0) return name.slice(middle + 3);
  return name.endsWith('.$') || name === '$' ? '' : undefined;
}

/** Refuses a position that is not at the end of a path, or in an array that the filter does not look at. */
export function checkPositional(path: string, position: string, filter: Doc): void {
  const root = path.split('.')[0] ?? '';
  if (!looksAt(filter, root)) throw location(31277, `Positional projection '${path}' does not match the query document.`);
  if (path.endsWith('.$.')) throw location(31270, "Path cannot end with '.$.'");
  if (positionIn(position) !== undefined) throw location(31287, `Cannot use positional operator twice: ${path}`);
  if (position !== '')
    throw location(
      31394,
      "As of 4.4, it's illegal to specify positional operator in the middle of a path. Positional projection may only be used at the end, for example: a.b.$.",
    );
}

function looksAt(filter: Doc, root: string): boolean {
  return Object.entries(filter).some(([name, operand]) => {
    if (!name.startsWith('$')) return name.split('.')[0] === root;
    return Array.isArray(operand) && operand.some((part) => isDoc(part) && looksAt(part, root));
  });
}

/** The element of an array that the filter matched. */
export function matchedItem(parts: readonly string[], filter: Doc): Value {
  return (doc) => {
    const position = matchedPosition(doc, filter, parts);
    const array = valueAt(doc, parts);
    if (position === undefined || !Array.isArray(array)) {
      throw location(
        51246,
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      );
    }
    return [array[position]];
  };
}

/** `$elemMatch`: the first element that satisfies a condition. */
export function itemMatching(path: string, operand: unknown, variables: Variables): Value {
  if (!isDoc(operand)) throw location(31274, 'elemMatch: Invalid argument, object required');
  if (path.includes('.')) throw location(31275, 'Cannot use $elemMatch projection on a nested field.');
  const test = compileItem(operand, variables, '$elemMatch');
  return (doc) => {
    const value = Object.hasOwn(doc, path) ? doc[path] : undefined;
    const found = Array.isArray(value) ? value.find(test) : undefined;
    return found === undefined ? undefined : [found];
  };
}

/** `$slice` by a number, or by how many to skip and how many to keep; undefined where it may be an expression. */
export function plainSlice(path: string, operand: unknown): Value | undefined {
  const parts = path.split('.');
  if (isNumeric(operand)) {
    const limit = Number(operand);
    return cutting(parts, (items) => (limit < 0 ? items.slice(limit) : items.slice(0, limit)));
  }
  if (!Array.isArray(operand) || operand.length !== 2 || !operand.every(isNumeric)) return undefined;
  const [skip = 0, limit = 0] = operand.map(Number);
  // As an expression it would slice a number, which is no array.
  if (limit <= 0) throw location(28724, 'Invalid $slice syntax: $slice limit must be positive');
  return cutting(parts, (items) => {
    const start = skip < 0 ? Math.max(0, items.length + skip) : skip;
    return items.slice(start, start + limit);
  });
}

function cutting(parts: readonly string[], cut: (items: unknown[]) => unknown[]): Value {
  return (doc) => {
    const value = valueAt(doc, parts);
    return Array.isArray(value) ? cut(value) : value;
  };
}
