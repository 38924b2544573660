import { failure } from '../errors.ts';

/** The name in `$[name]`, empty in `$[]`; undefined if a part of a path is neither. */
export const identifierOf = (part: string): string | undefined =>
  part.startsWith('$[') && part.endsWith(']') ? part.slice(2, -1) : undefined;

/** Whether a part of a path stands for positions that a document decides on: `$`, `$[]` or `$[name]`. */
export const isPositional = (part: string): boolean => part === '$' || identifierOf(part) !== undefined;

/** The parts of a path that an update may change. */
export function updatableParts(path: string): string[] {
  if (path === '') throw failure('EmptyFieldName', 'An empty update path is not valid.');
  const parts = path.split('.');
  if (parts.includes(''))
    throw failure('EmptyFieldName', `The update path '${path}' contains an empty field name, which is not allowed.`);
  const [first = ''] = parts;
  if (isPositional(first)) {
    const what = first === '$' ? "positional (i.e. '$')" : "array filter identifier (i.e. '$[<id>]')";
    throw failure('BadValue', `Cannot have ${what} element in the first position in path '${path}'`);
  }
  if (parts.filter((part) => part === '$').length > 1)
    throw failure('BadValue', `Too many positional (i.e. '$') elements found in path '${path}'`);
  const stray = parts.find((part) => part.startsWith('$') && !isPositional(part));
  if (stray !== undefined)
    throw failure(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${stray}' in '${path}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    );
  return parts;
}

/** Refuses paths of which one is, or begins with, another, and elements of an array named both by filters and by position. */
export function checkConflicts(paths: readonly string[]): void {
  const all = new Set(paths);
  for (const path of [...paths].sort()) {
    const isTwice = all.size < paths.length && paths.indexOf(path) !== paths.lastIndexOf(path);
    const clash = beginningOf(path, all) ?? (isTwice ? path : undefined);
    if (clash !== undefined) throw conflict(path, clash);
  }
  if (paths.some((path) => path.includes('$['))) checkKinds(paths);
}

const conflict = (path: string, at: string) =>
  failure('ConflictingUpdateOperators', `Updating the path '${path}' would create a conflict at '${at}'`);

/** Another path of these that this one begins with. */
function beginningOf(path: string, all: ReadonlySet<string>): string | undefined {
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const beginning = path.slice(0, dot);
    if (all.has(beginning)) return beginning;
  }
  return undefined;
}

function checkKinds(paths: readonly string[]): void {
  const filtered = new Map<string, boolean>();
  for (const path of paths) {
    let parent = '';
    for (const part of path.split('.')) {
      const isFilter = identifierOf(part) !== undefined;
      if ((filtered.get(parent) ?? isFilter) !== isFilter) throw conflict(path, parent);
      filtered.set(parent, isFilter);
      parent = parent === '' ? part : `${parent}.${part}`;
    }
  }
}
