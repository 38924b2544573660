import { type Doc, isDoc } from '../bson/types.ts';

const digits = /^(0|[1-9]\d*)$/;

/** Whether a part of a path can be a position in an array. */
export const isPosition = (part: string) => digits.test(part);

/**
 * Visits the values that a filter's path reaches, going through arrays as the server does: into each element that is a
 * document, and to the element at a numeric part. Stops at the first value that satisfies the test.
 */
export function someAtPath(value: unknown, parts: readonly string[], from: number, test: (value: unknown) => boolean): boolean {
  const part = parts[from];
  if (part === undefined) return test(value);
  if (isDoc(value)) return someAtPath(Object.hasOwn(value, part) ? value[part] : undefined, parts, from + 1, test);
  if (!Array.isArray(value)) return test(undefined);
  if (isPosition(part) && Number(part) < value.length && someAtPath(value[Number(part)], parts, from + 1, test)) return true;
  for (const item of value) {
    if (isDoc(item) && someAtPath(item, parts, from, test)) return true;
  }
  return false;
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
