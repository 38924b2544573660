import { type Doc, isDoc, isNumeric } from '../bson/types.ts';

const junctions = new Set(['$and', '$or', '$nor']);

/** The fields of the first level that a filter looks at; undefined where it may look at any. */
export function rootsOf(filter: Doc): ReadonlySet<string> | undefined {
  const roots = new Set<string>();
  return addRoots(filter, roots) ? roots : undefined;
}

/** The field of the first level that a path begins with. */
export function rootOf(path: string): string {
  const dot = path.indexOf('.');
  return dot < 0 ? path : path.slice(0, dot);
}

/** The fields of the first level that a projection gives; undefined where it is none that names fields to keep. */
export function keptRootsOf(projection: Doc): ReadonlySet<string> | undefined {
  const roots = new Set(['_id']);
  for (const [path, keep] of Object.entries(projection)) {
    const keeps = keep === true || (isNumeric(keep) && Number(keep) !== 0);
    if (!keeps || path.endsWith('.$')) return undefined;
    roots.add(rootOf(path));
  }
  return roots.size > 1 || '_id' in projection ? roots : undefined;
}

/** The fields of the first level that the stages of an update read or set; undefined where these may be any. */
export function pipelineRootsOf(stages: readonly unknown[]): ReadonlySet<string> | undefined {
  const roots = new Set(['_id']);
  for (const stage of stages) {
    const [[name, fields] = []] = isDoc(stage) ? Object.entries(stage) : [];
    if ((name !== '$set' && name !== '$addFields') || !isDoc(fields)) return undefined;
    for (const path of Object.keys(fields)) roots.add(rootOf(path));
    if (!addExpressionRoots(fields, roots)) return undefined;
  }
  return roots;
}

function addRoots(filter: Doc, roots: Set<string>): boolean {
  for (const [name, operand] of Object.entries(filter)) {
    if (!name.startsWith('$')) roots.add(rootOf(name));
    else if (name === '$expr') {
      if (!addExpressionRoots(operand, roots)) return false;
    } else if (!junctions.has(name) || !Array.isArray(operand)) return false;
    else for (const part of operand) if (!isDoc(part) || !addRoots(part, roots)) return false;
  }
  return true;
}

/** Operators that name a field without its dollar sign. */
const namesFields = new Set(['$getField', '$setField', '$unsetField']);

/** Of an expression: each text with one dollar sign is a path, or a literal that looks like one and does no harm here. */
function addExpressionRoots(expression: unknown, roots: Set<string>): boolean {
  if (typeof expression === 'string') {
    if (!expression.startsWith('$') || expression === '$$NOW') return true;
    if (expression.startsWith('$$')) return false;
    roots.add(rootOf(expression.slice(1)));
    return true;
  }
  if (Array.isArray(expression)) return expression.every((part) => addExpressionRoots(part, roots));
  if (!isDoc(expression)) return true;
  return Object.entries(expression).every(([name, part]) => !namesFields.has(name) && addExpressionRoots(part, roots));
}
