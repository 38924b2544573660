import { type Doc, isDoc } from '../bson/types.ts';
import { compileFilter } from './match.ts';
import { valueAt } from './path.ts';

/** The first position in the array at a path whose element alone lets the filter's conditions on that array hold. */
export function matchedPosition(doc: Doc, filter: Doc, arrayPath: readonly string[]): number | undefined {
  const array = valueAt(doc, arrayPath);
  if (!Array.isArray(array)) return undefined;
  const path = arrayPath.join('.');
  const conditions = conditionsOn(filter, path);
  if (conditions.length === 0) return undefined;
  const matchers = conditions.map((condition) => compileFilter(condition));
  const position = array.findIndex((item) => {
    const narrowed = nested(arrayPath, [item]);
    return matchers.every((matcher) => matcher(narrowed));
  });
  return position < 0 ? undefined : position;
}

function conditionsOn(filter: Doc, path: string): Doc[] {
  const found: Doc[] = [];
  for (const [name, operand] of Object.entries(filter)) {
    if (name === path || name.startsWith(`${path}.`)) found.push({ [name]: operand });
    else if ((name === '$and' || name === '$or') && Array.isArray(operand)) {
      for (const part of operand) if (isDoc(part)) found.push(...conditionsOn(part, path));
    }
  }
  return found;
}

function nested(path: readonly string[], value: unknown): Doc {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Doc;
}
