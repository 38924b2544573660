import type { Doc } from '../bson/types.ts';
import { isNullish } from '../bson/types.ts';
import type { Index } from '../storage/index.ts';
import { type Condition, conditionsOf } from './bounds.ts';
import { type Expression, parseExpression } from './expression-tree.ts';
import { implies } from './implication.ts';

/**
 * What every document that a plan is to find satisfies: the whole query and, inside `$or`, the branches that lead to the plan.
 */
export type Known = { readonly filters: readonly Doc[]; expressions?: readonly Expression[] };

type Conditions = Map<string, Condition[]>;

const filtersOfIndexes = new WeakMap<Index, Expression>();

/**
 * The conditions by which the server's planner would search an index, undefined if it would not take it. A partial index is taken
 * where the planner knows that it holds every match: for the whole query, or for a branch of `$or` by what the branch itself
 * says.
 */
export function conditionsFor(index: Index, known: Known, conditions: Conditions): Conditions | undefined {
  if (index.spec.sparse) return isBoundedSparse(index, conditions) ? conditions : undefined;
  const partial = index.spec.partialFilterExpression;
  if (!partial) return conditions;
  let filter = filtersOfIndexes.get(index);
  if (!filter) {
    filter = parseExpression(partial);
    filtersOfIndexes.set(index, filter);
  }
  known.expressions ??= known.filters.map(parseExpression);
  for (const [at, expression] of known.expressions.entries()) {
    if (implies(expression, filter)) return at === 0 ? conditions : conditionsOf({ $and: known.filters.slice(at) });
  }
  return undefined;
}

/** A sparse index serves a condition on its first field that a missing field fails; never a sort only. */
function isBoundedSparse(index: Index, conditions: Conditions): boolean {
  const [first] = index.fields;
  return first !== undefined && (conditions.get(first.path)?.some(excludesMissing) ?? false);
}

const excludesMissing = (condition: Condition) => condition.kind === 'range' || !condition.values.some(isNullish);
