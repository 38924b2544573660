import { compareValues, equalValues } from '../bson/compare.ts';
import { type Doc, isDoc, rankOf, typeRank } from '../bson/types.ts';
import type { Index } from '../storage/index.ts';
import type { Condition } from './bounds.ts';

/** Whether an index holds every document the filter can match. */
export function usable(index: Index, filter: Doc, conditions: Map<string, Condition[]>): boolean {
  const partial = index.spec.partialFilterExpression;
  if (partial) return Object.entries(partial).every(([path, wanted]) => implied(path, wanted, filter, conditions));
  if (!index.spec.sparse) return true;
  // A document that is left out has none of the fields, so a condition that a missing field fails excludes it.
  return index.fields.some((field) => conditions.get(field.path)?.some(excludesMissing));
}

const excludesMissing = (condition: Condition) =>
  condition.kind === 'range' ||
  condition.values.every((value) => rankOf(value) > typeRank.null || rankOf(value) === typeRank.minKey);

/** Whether every document that satisfies the filter satisfies one clause of a partial index. */
function implied(path: string, wanted: unknown, filter: Doc, conditions: Map<string, Condition[]>): boolean {
  if (path === '$and' && Array.isArray(wanted)) {
    return wanted.every(
      (part) => isDoc(part) && Object.entries(part).every(([inner, clause]) => implied(inner, clause, filter, conditions)),
    );
  }
  if (sameClause(filter, path, wanted)) return true;
  const known = conditions.get(path) ?? [];
  const clauses: Array<[string, unknown]> =
    isDoc(wanted) && Object.keys(wanted)[0]?.startsWith('$') ? Object.entries(wanted) : [['$eq', wanted]];
  return clauses.every(
    ([operator, value]) =>
      sameClause(filter, path, { [operator]: value }) || known.some((condition) => implies(condition, operator, value)),
  );
}

function sameClause(filter: Doc, path: string, wanted: unknown): boolean {
  const own = filter[path];
  if (own !== undefined && equalValues(own, wanted)) return true;
  if (isDoc(own) && isDoc(wanted)) {
    const entries = Object.entries(wanted);
    if (
      entries.length > 0 &&
      entries.every(([name, value]) => name.startsWith('$') && name in own && equalValues(own[name], value))
    )
      return true;
  }
  const parts = filter.$and;
  return Array.isArray(parts) && parts.some((part) => isDoc(part) && sameClause(part, path, wanted));
}

function implies(condition: Condition, operator: string, wanted: unknown): boolean {
  switch (operator) {
    case '$exists':
      return Boolean(wanted) && excludesMissing(condition);
    case '$type':
      return (
        typeof wanted === 'string' &&
        rankByType[wanted] !== undefined &&
        ranksOf(condition).every((rank) => rank === rankByType[wanted])
      );
    case '$eq':
      return condition.kind === 'points' && condition.values.every((value) => equalValues(value, wanted));
    case '$in':
      return (
        condition.kind === 'points' &&
        Array.isArray(wanted) &&
        condition.values.every((value) => wanted.some((one) => equalValues(one, value)))
      );
    case '$gt':
    case '$gte':
      return ordered(condition, wanted, operator, condition.kind === 'range' ? condition.low : undefined, 1);
    case '$lt':
    case '$lte':
      return ordered(condition, wanted, operator, condition.kind === 'range' ? condition.high : undefined, -1);
    default:
      return false;
  }
}

const rankByType: Record<string, number> = {
  date: typeRank.date,
  string: typeRank.string,
  objectId: typeRank.objectId,
  number: typeRank.number,
  bool: typeRank.bool,
};
const ranksOf = (condition: Condition) => (condition.kind === 'range' ? [condition.rank] : condition.values.map(rankOf));

function ordered(
  condition: Condition,
  wanted: unknown,
  operator: string,
  edge: { value: unknown; inclusive: boolean } | undefined,
  sign: 1 | -1,
): boolean {
  if (!ranksOf(condition).every((rank) => rank === rankOf(wanted))) return false;
  const inclusive = operator === '$gte' || operator === '$lte';
  const within = (value: unknown, open: boolean) => {
    const order = compareValues(value, wanted) * sign;
    return order > 0 || (order === 0 && (inclusive || open));
  };
  if (condition.kind === 'points') return condition.values.every((value) => within(value, false));
  return edge !== undefined && within(edge.value, !edge.inclusive);
}
