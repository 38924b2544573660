import { type Doc, isDoc } from '../bson/types.ts';

const digits = /^(0|[1-9]\d*)$/;

/** Whether a part of a path can be a position in an array. */
export const isPosition = (part: string) => digits.test(part);

/** Whether a test goes into an array at the end of a path, or looks at the array only. */
export type LeafArrays = 'elements' | 'whole';

/**
 * Visits the values that a filter's path reaches, going through arrays as the server does: into each element that is a
 * document, and to the element at a numeric part, which is not gone into where the path ends there. An array at the end is
 * visited after its elements. Stops at the first value that satisfies the test.
 */
export function someAtPath(
  value: unknown,
  parts: readonly string[],
  from: number,
  leaf: LeafArrays,
  test: (value: unknown) => boolean,
): boolean {
  let reached = value;
  for (let at = from; at < parts.length; at++) {
    if (Array.isArray(reached)) return someInArray(reached, parts, at, leaf, test);
    const part = parts[at] ?? '';
    reached = isDoc(reached) && Object.hasOwn(reached, part) ? reached[part] : undefined;
    if (reached === undefined) break;
  }
  if (leaf === 'elements' && Array.isArray(reached)) for (const item of reached) if (test(item)) return true;
  return test(reached);
}

function someInArray(
  array: readonly unknown[],
  parts: readonly string[],
  from: number,
  leaf: LeafArrays,
  test: (value: unknown) => boolean,
): boolean {
  for (const item of array) if (isDoc(item) && someAtPath(item, parts, from, leaf, test)) return true;
  const part = parts[from] ?? '';
  if (!isPosition(part) || Number(part) >= array.length) return false;
  const item = array[Number(part)];
  if (from + 1 === parts.length) return test(item);
  return (isDoc(item) || Array.isArray(item)) && someAtPath(item, parts, from + 1, leaf, test);
}

/** The value at a path as expressions read it: an array on the way yields the array of what its elements hold. */
export function expressionPath(value: unknown, parts: readonly string[], from = 0): unknown {
  let reached = value;
  for (let at = from; at < parts.length; at++) {
    if (Array.isArray(reached)) {
      return reached.map((item) => expressionPath(item, parts, at)).filter((item) => item !== undefined);
    }
    const part = parts[at] ?? '';
    if (!isDoc(reached) || !Object.hasOwn(reached, part)) return undefined;
    reached = reached[part];
  }
  return reached;
}

/** The value at a path without going through arrays, except by position. */
export function valueAt(doc: Doc, parts: readonly string[]): unknown {
  let value: unknown = doc;
  for (const part of parts) {
    if (Array.isArray(value) && isPosition(part)) value = value[Number(part)];
    else if (isDoc(value) && Object.hasOwn(value, part)) value = value[part];
    else return undefined;
  }
  return value;
}

/** Sets a field, also one named `__proto__`. */
export function setField(doc: Doc, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(doc, name, { value, enumerable: true, writable: true, configurable: true });
  else doc[name] = value;
}
