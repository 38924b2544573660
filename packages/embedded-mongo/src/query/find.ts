import type { Variables } from '../aggregate/scope.ts';
import { decodeDocument, decodeFields } from '../bson/decode.ts';
import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import type { Collection } from '../storage/collection.ts';
import { countByKeys } from './covered.ts';
import { checkDeadline } from './deadline.ts';
import { compileFilter, type Matcher } from './match.ts';
import { type Plan, planQuery } from './plan.ts';
import { rootsOf } from './roots.ts';
import { type Examined, scan } from './scan.ts';
import { eitherWay, shuffled } from './shuffle.ts';
import { compileSort, sorted } from './sort.ts';

/** A document found; it is decoded only if someone asks. */
export class Found {
  readonly rid: number;
  readonly bytes: Uint8Array;
  #doc: Doc | undefined;

  constructor(rid: number, bytes: Uint8Array) {
    this.rid = rid;
    this.bytes = bytes;
  }

  get doc(): Doc {
    this.#doc ??= decodeDocument(this.bytes);
    return this.#doc;
  }

  /** The document for a caller that looks at these fields only; undefined: at any. */
  fields(roots: ReadonlySet<string> | undefined): Doc {
    return this.#doc ?? (roots === undefined ? this.doc : decodeFields(this.bytes, roots));
  }
}

export type Query = { filter: Doc; sort?: Doc; hint?: unknown; skip?: number; limit?: number; variables: Variables };

/** A query with its plan, ready to run once. `count` looks at keys alone where they suffice. */
export type PlannedQuery = { plan: Plan; examined: Examined; run: () => Generator<Found>; count: () => number };

/** Compiles and plans a query; malformed filters and sorts are refused here, before anything runs. */
export function prepareQuery(collection: Collection | undefined, query: Query): PlannedQuery {
  const order =
    query.sort && Object.keys(query.sort).length > 0 && !('$natural' in query.sort) ? compileSort(query.sort) : undefined;
  const examined = { keys: 0, docs: 0 };
  if (!collection) {
    compileFilter(query.filter, query.variables);
    return { plan: { kind: 'collection', reverse: false, sorted: true }, examined, run: nothing, count: () => 0 };
  }
  const plan = planQuery(collection, query);
  refuseTableScan(collection, plan, query);
  const rest = residual(plan, query);
  const walk = (walked: Plan) => matching(collection, walked, rest, examined);
  const run = () => {
    const found = collection.settings.shuffleUnsorted && isUnordered(plan, query) ? shuffled(walk(eitherWay(plan))) : walk(plan);
    const keep = query.limit ? (query.skip ?? 0) + query.limit : 0;
    const inOrder =
      !order || isSorted(plan)
        ? found
        : sorted(
            found,
            (a, b) => order(a.doc, b.doc),
            ({ bytes }) => bytes.length,
            keep,
          );
    return window(inOrder, query.skip ?? 0, query.limit ?? 0);
  };
  const count = () => {
    const byKeys = countByKeys(collection, plan, query.filter);
    if (byKeys === undefined) return counted(window(walk(plan), query.skip ?? 0, query.limit ?? 0));
    const left = Math.max(0, byKeys - (query.skip ?? 0));
    return query.limit ? Math.min(query.limit, left) : left;
  };
  return { plan, examined, run, count };
}

function counted(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}

const internal = new Set(['admin', 'config', 'local']);

/**
 * With the parameter `notablescan` a query that no index serves is refused; as on the server, reading everything is not meant.
 */
function refuseTableScan(collection: Collection, plan: Plan, { filter, hint, sort }: Query): void {
  if (!collection.settings.noTableScan || plan.kind !== 'collection') return;
  if (internal.has(collection.db) || collection.name.startsWith('system.')) return;
  const natural = isDoc(hint) && '$natural' in hint ? 'hint' : sort && '$natural' in sort ? 'sort' : undefined;
  if (Object.keys(filter).length === 0 && natural === undefined) return;
  const why =
    natural === undefined
      ? "No indexed plans available, and running with 'notablescan'"
      : `${natural} $natural is not allowed, because 'notablescan' is enabled`;
  throw failure(
    'NoQueryExecutionPlans',
    `error processing query: ns=${collection.namespace} filter fields: ${Object.keys(filter).join(', ')} planner returned error :: caused by :: ${why}`,
  );
}

/** Whether nothing was said about the order; `$natural` says that it is that of insertion. */
const isUnordered = (plan: Plan, { sort = {}, hint }: Query) =>
  plan.kind !== 'id' && Object.keys(sort).length === 0 && !(isDoc(hint) && '$natural' in hint);

const isSorted = (plan: Plan) => plan.kind === 'id' || (plan.kind !== 'union' && plan.sorted);

/** What a document has to match, and the fields that this looks at. */
type Residual = { matches: Matcher; roots: ReadonlySet<string> | undefined };

/** What is left to check after the plan: nothing for a lookup by `_id` alone. */
function residual(plan: Plan, { filter, variables }: Query): Residual | undefined {
  const { _id, ...others } = filter;
  const rest = plan.kind === 'id' ? others : filter;
  return Object.keys(rest).length === 0 ? undefined : { matches: compileFilter(rest, variables), roots: rootsOf(rest) };
}

function* nothing(): Generator<Found> {}

function* matching(collection: Collection, plan: Plan, rest: Residual | undefined, examined: Examined): Generator<Found> {
  for (const { rid, bytes } of scan(collection, plan, examined)) {
    checkDeadline();
    const found = new Found(rid, bytes);
    if (!rest || rest.matches(found.fields(rest.roots))) yield found;
  }
}

function* window(found: Iterable<Found>, skip: number, limit: number): Generator<Found> {
  let passed = 0;
  for (const one of found) {
    if (passed++ < skip) continue;
    yield one;
    if (limit > 0 && passed >= skip + limit) return;
  }
}
