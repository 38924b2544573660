import { Decimal128 } from 'bson';
import { compareValues } from '../bson/compare.ts';
import { rankOf, typeRank } from '../bson/types.ts';
import { type ComparisonOperator, type Expression, isEquivalent } from './expression-tree.ts';

type Comparison = Extract<Expression, { kind: 'comparison' }>;

/**
 * Whether the server's planner knows that what satisfies a query satisfies the filter of a partial index. It knows less than
 * one could: a range of dates does not tell it that the type is date, and of `$type` it only recognizes the same `$type`. The
 * rules are those of `expression::isSubsetOf` in MongoDB 7.0.
 */
export function implies(query: Expression, filter: Expression): boolean {
  if (isEquivalent(query, filter)) return true;
  // The filter is taken apart before the query: {a: 5, b: 5} satisfies {$and: [{a: 5}, {b: 5}]} by no single clause.
  if (filter.kind === 'or') return filter.children.some((child) => implies(query, child));
  if (filter.kind === 'and') return filter.children.every((child) => implies(query, child));
  if (query.kind === 'and') return query.children.some((child) => implies(child, filter));
  if (query.kind === 'or') return query.children.every((child) => implies(child, filter));
  switch (filter.kind) {
    case 'comparison':
      return impliesComparison(query, filter);
    case 'exists':
      return impliesExistence(query, filter.path);
    case 'in':
      return filter.patterns.length === 0 && filter.values.some((value) => impliesComparison(query, equalTo(filter.path, value)));
    default:
      return false;
  }
}

const equalTo = (path: string, value: unknown): Comparison => ({ kind: 'comparison', operator: '$eq', path, value });

function impliesComparison(query: Expression, filter: Comparison): boolean {
  if (query.kind === 'comparison') return query.path === filter.path && comparisonImplies(query, filter);
  if (query.kind !== 'in' || query.path !== filter.path || query.patterns.length > 0) return false;
  return query.values.every((value) => comparisonImplies(equalTo(query.path, value), filter));
}

function comparisonImplies(query: Comparison, filter: Comparison): boolean {
  if (rankOf(query.value) !== rankOf(filter.value)) return false;
  if (isNaNValue(query.value) || isNaNValue(filter.value))
    return admitsEqual(query.operator) && admitsEqual(filter.operator) && isNaNValue(query.value) && isNaNValue(filter.value);
  const order = compareValues(query.value, filter.value);
  if (query.operator === filter.operator && order === 0) return true;
  switch (filter.operator) {
    case '$lt':
    case '$lte':
      if (query.operator === '$gt' || query.operator === '$gte') return false;
      return filter.operator === '$lte' ? order <= 0 : order < 0;
    case '$gt':
    case '$gte':
      if (query.operator === '$lt' || query.operator === '$lte') return false;
      return filter.operator === '$gte' ? order >= 0 : order > 0;
    default:
      return false;
  }
}

const admitsEqual = (operator: ComparisonOperator) => operator === '$eq' || operator === '$lte' || operator === '$gte';

const isNaNValue = (value: unknown) => Number.isNaN(value) || (value instanceof Decimal128 && value.toString() === 'NaN');

/** Operators that no missing field satisfies, as far as the server knows. */
const demandPresence = new Set(['$elemMatch', '$mod', '$regex', '$size', '$type']);

function impliesExistence(query: Expression, path: string): boolean {
  switch (query.kind) {
    case 'comparison':
      return query.path === path && !isNull(query.value);
    case 'in':
      return query.path === path && !query.values.some(isNull);
    case 'exists':
      return query.path === path;
    case 'other':
      return query.path === path && demandPresence.has(query.operator);
    case 'not':
      return excludesNull(query.child, path);
    default:
      return false;
  }
}

/** `{$ne: null}` and `{$nin: [null, …]}`. */
function excludesNull(negated: Expression, path: string): boolean {
  if (negated.kind === 'comparison') return negated.path === path && negated.operator === '$eq' && isNull(negated.value);
  return negated.kind === 'in' && negated.path === path && negated.values.some(isNull);
}

const isNull = (value: unknown) => rankOf(value) === typeRank.null;
