import { BSONRegExp } from 'bson';
import { type Doc, isNullish, isNumeric } from '../bson/types.ts';
import type { Collection } from '../storage/collection.ts';
import { conditionOf } from './bounds.ts';
import { isOperatorDoc } from './match-values.ts';
import type { Plan } from './plan.ts';

type IndexPlan = Plan & { kind: 'index' };

/** How many documents a plan finds, from the keys of its index alone; undefined where documents must be looked at. */
export function countByKeys(collection: Collection, plan: Plan, filter: Doc): number | undefined {
  if (Object.keys(filter).length === 0) return plan.kind === 'index' && !holdsAll(plan) ? undefined : collection.count();
  if (plan.kind !== 'index' || !isCovered(plan, filter)) return undefined;
  const statement = collection.statement(`SELECT count(*) FROM ${plan.index.table} WHERE key >= ? AND key < ?`);
  let count = 0;
  for (const { low, high } of plan.ranges) count += Number((statement.get(low, high) as unknown as [number])[0]);
  return count;
}

/** A hint may name an index that leaves documents out; then these are not counted. */
const holdsAll = ({ index }: IndexPlan) => !index.partial && index.spec.sparse !== true;

/** Whether the keys within a plan's bounds belong to exactly the documents that satisfy the filter, one key each. */
export function isCovered({ index, bound }: IndexPlan, filter: Doc): boolean {
  if (index.arrays !== undefined || bound === 0) return false;
  const paths = index.fields.slice(0, bound).map((field) => field.path);
  return Object.entries(filter).every(([path, operand]) => paths.includes(path) && isExact(operand));
}

/** Whether the bounds made of an operand let in what satisfies it and nothing else. */
function isExact(operand: unknown): boolean {
  if (!isOperatorDoc(operand)) return isExactPoint(operand);
  const names = Object.keys(operand);
  const [only = ''] = names;
  if (names.length === 1 && only === '$eq') return isExactPoint(operand.$eq);
  if (names.length === 1 && only === '$in') return Array.isArray(operand.$in) && operand.$in.every(isExactPoint);
  if (Object.entries(operand).some(([name, value]) => conditionOf(name, value)?.kind !== 'range')) return false;
  const edges = Object.entries(operand).filter(([name]) => name !== '$type');
  // NaN sorts below all numbers and is not less than any.
  return (
    edges.every(([, value]) => !isNumeric(value)) ||
    (edges.some(([name]) => name === '$gt' || name === '$gte') && edges.every(([, value]) => isFiniteNumber(value)))
  );
}

const isFiniteNumber = (value: unknown) => typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));
const isExactPoint = (value: unknown) => !isNullish(value) && !Array.isArray(value) && !(value instanceof BSONRegExp);
