import { BSONRegExp, ObjectId } from 'bson';
import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { refuseExpr } from '../query/expr-places.ts';
import { isOperatorDoc } from '../query/match-values.ts';
import { setField } from '../query/path.ts';
import { changeAt, copy } from './paths.ts';
import type { Update } from './update.ts';

/** Refuses a filter that an upsert may not have: what an `$expr` would set can't be told. */
export function checkUpsertFilter(filter: Doc): void {
  refuseExpr(filter, '$expr is not allowed in the query predicate for an upsert');
}

/** The document that an upsert inserts: what the filter says is equal, changed by the update. */
export function upsertedDocument(filter: Doc, compiled: Update): Doc {
  const equalities = equalitiesOf(filter, compiled.kind === 'replacement');
  const base: Doc = {};
  for (const [path, value] of equalities) changeAt(base, path.split('.'), () => copy(value));
  return withId(compiled.apply(base, true));
}

/** What a filter says is equal, by path; of a replacement's filter only `_id` counts. Refuses what says it twice. */
function equalitiesOf(filter: Doc, onlyId: boolean): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  visit(filter, (path, value) => {
    if (onlyId && path !== '_id') {
      if (!path.startsWith('_id.')) return;
      throw failure('NotExactValueField', `field at '_id' must be exactly specified, field at sub-path '${path}' found`);
    }
    for (const other of found.keys()) {
      if (other === path) throw twice(`path '${path}' is matched twice`);
      if (path.startsWith(`${other}.`) || other.startsWith(`${path}.`))
        throw twice(`both paths '${path}' and '${other}' are matched`);
    }
    found.set(path, value);
  });
  return found;
}

const twice = (what: string) => failure('NotSingleValueField', `cannot infer query fields to set, ${what}`);

function visit(filter: Doc, add: (path: string, value: unknown) => void): void {
  for (const [name, operand] of Object.entries(filter)) {
    if (name === '$and' && Array.isArray(operand)) {
      for (const part of operand) if (isDoc(part)) visit(part, add);
    } else if (name === '$or' && Array.isArray(operand) && operand.length === 1 && isDoc(operand[0])) {
      visit(operand[0], add);
    } else if (!name.startsWith('$')) {
      for (const value of equalValuesOf(operand)) add(name, value);
    }
  }
}

function equalValuesOf(operand: unknown): unknown[] {
  if (!isOperatorDoc(operand)) return operand instanceof BSONRegExp ? [] : [operand];
  const values: unknown[] = '$eq' in operand ? [operand.$eq] : [];
  if (Array.isArray(operand.$in) && operand.$in.length === 1) values.push(...operand.$in);
  if (Array.isArray(operand.$all)) values.push(...operand.$all.filter((one) => !isOperatorDoc(one)));
  return values.filter((one) => !(one instanceof BSONRegExp));
}

/** Puts `_id` in front, making one where there is none. */
export function withId(doc: Doc): Doc {
  const { _id, ...rest } = doc;
  const complete: Doc = { _id: _id === undefined ? new ObjectId() : _id };
  for (const [name, value] of Object.entries(rest)) setField(complete, name, value);
  return complete;
}
