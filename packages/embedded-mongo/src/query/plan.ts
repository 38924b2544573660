import { equalValues } from '../bson/compare.ts';
import { type Doc, isDoc, isNullish, rankOf, typeRank } from '../bson/types.ts';
import { failure } from '../errors.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index } from '../storage/index.ts';
import { above } from '../storage/index-key.ts';
import { branchesOf, type Condition, combine, conditionsOf, type Interval, intervalsOf } from './bounds.ts';
import { sortFields } from './sort.ts';
import { conditionsFor, type Known } from './usable.ts';

/** How documents are found. `sorted` tells that they come in the order that was asked for. */
export type Plan =
  | { kind: 'id'; id: unknown }
  | { kind: 'collection'; reverse: boolean; sorted: boolean }
  | {
      kind: 'index';
      index: Index;
      ranges: readonly Interval[];
      /** How many of the index's first fields the ranges bound. */
      bound: number;
      /** Each range is one whole key, its lower end, of the index on `_id`. */
      exact: boolean;
      reverse: boolean;
      sorted: boolean;
      score: number;
    }
  | { kind: 'union'; plans: readonly Plan[] };

export type PlanRequest = { filter: Doc; sort?: Doc; hint?: unknown };

/** The most key ranges that one plan may walk. */
const rangesMax = 2000;
const everything: Interval = { low: Buffer.alloc(0), high: above };

/** Chooses how to find the documents of a query. */
export function planQuery(collection: Collection, request: PlanRequest): Plan {
  return choose(collection, request, { filters: [request.filter] });
}

function choose(collection: Collection, request: PlanRequest, known: Known): Plan {
  const { filter, hint } = request;
  const id = filter._id;
  if (hint === undefined && id !== undefined && isPlainId(id)) return { kind: 'id', id };
  const sort = request.sort && Object.keys(request.sort).length > 0 ? request.sort : undefined;
  if (hint !== undefined) return hinted(collection, request, known, hint);
  const conditions = conditionsOf(filter);
  let best: (Plan & { kind: 'index' }) | undefined;
  for (const index of collection.allIndexes) {
    if (index.spec.hidden === true) continue;
    const plan = indexPlan(index, conditions, sort);
    // Whether the index may be taken is asked only where that would be of use.
    if (!plan || plan.score <= (best?.score ?? 0)) continue;
    const searched = conditionsFor(index, known, conditions);
    const taken = searched === conditions ? plan : searched && indexPlan(index, searched, sort);
    if (taken && taken.score > (best?.score ?? 0)) best = taken;
  }
  if (best && best.score >= pointScore) return best;
  return (
    unionPlan(collection, filter, sort, known) ??
    best ?? { kind: 'collection', reverse: naturalReverse(sort), sorted: sort !== undefined && '$natural' in sort }
  );
}

/** An `_id` that can be looked up: a value to equal, neither operators nor a pattern nor an array. */
function isPlainId(id: unknown): boolean {
  const rank = rankOf(id);
  if (rank === typeRank.object) return isDoc(id) && Object.keys(id)[0]?.startsWith('$') !== true;
  return rank !== typeRank.array && rank !== typeRank.regex && rank !== typeRank.null;
}

const naturalReverse = (sort: Doc | undefined) => sort !== undefined && '$natural' in sort && Number(sort.$natural) < 0;

/**
 * A hint is obeyed: an index that is of no use for the filter is walked as a whole, also a sparse one that leaves out documents
 * the query asks for; these are not found then. A partial index that may leave out documents is refused.
 */
function hinted(collection: Collection, { filter, sort }: PlanRequest, known: Known, hint: unknown): Plan {
  if (isDoc(hint) && '$natural' in hint) return { kind: 'collection', reverse: Number(hint.$natural) < 0, sorted: false };
  const index = collection.allIndexes.find((one) =>
    typeof hint === 'string' ? one.spec.name === hint : sameKey(one.spec.key, hint),
  );
  if (!index || index.spec.hidden === true)
    throw failure(
      'BadValue',
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  const conditions = conditionsOf(filter);
  const searched = conditionsFor(index, known, conditions);
  if (searched === undefined && index.partial)
    throw failure('NoQueryExecutionPlans', 'error processing query: planner returned error :: caused by :: No query solutions');
  const order = sort && Object.keys(sort).length > 0 ? sort : undefined;
  return (
    indexPlan(index, searched ?? new Map(), order) ?? {
      kind: 'index',
      index,
      ranges: [everything],
      bound: 0,
      exact: false,
      reverse: false,
      sorted: false,
      score: 0,
    }
  );
}

const sameKey = (key: Doc, hint: unknown) => isDoc(hint) && equalValues(key, hint);

const pointScore = 100;
const rangeScore = 40;
const sortScore = 60;

/** The plan over one index, undefined if it helps neither the filter nor the sort. */
function indexPlan(
  index: Index,
  conditions: Map<string, Condition[]>,
  sort: Doc | undefined,
): (Plan & { kind: 'index' }) | undefined {
  let prefixes: readonly Interval[] = [{ low: Buffer.alloc(0), high: above }];
  let score = 0;
  let bound = 0;
  const usedArrays = new Set<string>();
  let open = true;
  for (const [at, field] of index.fields.entries()) {
    const arrays = index.arrays?.[at] ?? [];
    // Conditions on two fields of the same array may be met by different elements: bounds on one of them only.
    const clash = arrays.some((path) => usedArrays.has(path));
    const condition = open && !clash ? combine(conditions.get(field.path) ?? [], arrays.length > 0) : undefined;
    if (!condition) break;
    const intervals = intervalsOf(condition, field.direction);
    if (prefixes.length * intervals.length > rangesMax) break;
    for (const path of arrays) usedArrays.add(path);
    bound = at + 1;
    // Each prefix so far is a point, so the next component's bounds follow its bytes.
    prefixes =
      at === 0
        ? intervals
        : prefixes.flatMap((prefix) =>
            intervals.map(({ low, high }) => ({
              low: Buffer.concat([prefix.low, low]),
              high: Buffer.concat([prefix.low, high]),
            })),
          );
    if (condition.kind === 'range') {
      score += rangeScore;
      open = false;
    } else {
      score += pointScore - at;
    }
    if (!open) break;
  }
  const order = sort && sortedBy(index, sort, conditions, prefixes.length === 1 ? bound : undefined);
  if (order) score += sortScore;
  if (score === 0) return undefined;
  // Among equals, an index whose fields are all bound by a unique key finds the least.
  if (index.unique && score >= pointScore * index.fields.length - 10) score += 10;
  const exact = index.isId && bound === 1 && open;
  const [reverse, isSorted] = [order?.reverse ?? false, order !== undefined];
  return { kind: 'index', index, ranges: prefixes, bound, exact, reverse, sorted: isSorted, score };
}

/** Null is equal to two values, null and BSON's undefined. */
const isOneValue = (condition: Condition) =>
  condition.kind === 'points' && condition.values.length === 1 && !isNullish(condition.values[0]);

/**
 * Whether walking the index, forwards or backwards, yields the order of a sort; `bound` fields have their bounds in one range.
 */
function sortedBy(
  index: Index,
  sort: Doc,
  conditions: Map<string, Condition[]>,
  bound: number | undefined,
): { reverse: boolean } | undefined {
  if (bound === undefined || '$natural' in sort) return undefined;
  const wanted = sortFields(sort);
  let reverse: boolean | undefined;
  let next = 0;
  for (const [at, field] of index.fields.entries()) {
    const want = wanted[next];
    if (!want) break;
    const arrays = index.arrays?.[at] ?? [];
    const fixed = conditions.get(field.path)?.some(isOneValue) ?? false;
    if (want.path !== field.path) {
      // Where an array spreads a document over several keys, only the bounds keep it to one of them.
      if (fixed && (arrays.length === 0 || at < bound)) continue;
      return undefined;
    }
    // A document is first met at its least key, by which an array sorts, unless bounds hide that key.
    if (arrays.length > 0 && (at < bound || next < wanted.length - 1)) return undefined;
    next++;
    if (fixed) continue;
    const backwards = want.direction !== field.direction;
    if (reverse !== undefined && reverse !== backwards) return undefined;
    reverse = backwards;
  }
  return next === wanted.length ? { reverse: reverse ?? false } : undefined;
}

/** `$or` whose branches all have an index: each is walked, and documents met twice count once. */
function unionPlan(collection: Collection, filter: Doc, sort: Doc | undefined, known: Known): Plan | undefined {
  const { $or: branches, ...rest } = filter;
  if (!Array.isArray(branches)) return undefined;
  const plans: Plan[] = [];
  for (const branch of branchesOf(branches)) {
    const request = { filter: { $and: [rest, branch], ...branch } };
    const plan = choose(collection, request, { filters: [...known.filters, branch] });
    if (plan.kind === 'collection') return undefined;
    plans.push(...(plan.kind === 'union' ? plan.plans : [plan]));
  }
  return sort && '$natural' in sort ? undefined : { kind: 'union', plans };
}
