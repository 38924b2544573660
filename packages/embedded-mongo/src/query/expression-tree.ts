import { BSONRegExp, Double } from 'bson';
import { truthy } from '../aggregate/scope.ts';
import { compareValues, equalValues } from '../bson/compare.ts';
import { type Doc, isDoc, typeNumber } from '../bson/types.ts';
import { isOperatorDoc } from './match-values.ts';

export type ComparisonOperator = '$eq' | '$lt' | '$lte' | '$gt' | '$gte';

/**
 * A filter as the server's planner sees it: parsed and brought into a normal form, so that filters that say the same are the
 * same.
 */
export type Expression =
  | { kind: 'and' | 'or' | 'nor'; children: readonly Expression[] }
  | { kind: 'not'; child: Expression }
  | { kind: 'comparison'; operator: ComparisonOperator; path: string; value: unknown }
  | { kind: 'in'; path: string; values: readonly unknown[]; patterns: readonly BSONRegExp[] }
  | { kind: 'exists'; path: string }
  /** Any other condition on a path; `$expr` has none. */
  | { kind: 'other'; operator: string; path: string; operand: unknown }
  | { kind: 'always'; holds: boolean };

/** Parses a filter that `compileFilter` has accepted. */
export function parseExpression(filter: Doc): Expression {
  return junction(
    'and',
    Object.entries(filter).flatMap(([name, operand]) => (name.startsWith('$') ? topLevel(name, operand) : onPath(name, operand))),
  );
}

function topLevel(name: string, operand: unknown): Expression[] {
  const branches = Array.isArray(operand) ? operand.map((branch) => parseExpression(isDoc(branch) ? branch : {})) : [];
  switch (name) {
    case '$and':
      return [junction('and', branches)];
    case '$or':
      return [junction('or', branches)];
    case '$nor':
      return [junction('nor', branches)];
    case '$comment':
      return [];
    case '$alwaysTrue':
    case '$alwaysFalse':
      return [{ kind: 'always', holds: name === '$alwaysTrue' }];
    default:
      return [{ kind: 'other', operator: name, path: '', operand }];
  }
}

/** The normal form of a junction: nested ones of its kind are part of it, and one with a single branch is that branch. */
function junction(kind: 'and' | 'or' | 'nor', branches: readonly Expression[]): Expression {
  if (kind === 'nor') {
    const [only] = branches;
    return branches.length === 1 && only ? { kind: 'not', child: only } : { kind, children: branches };
  }
  const neutral = kind === 'and';
  const children = branches
    .flatMap((branch) => (branch.kind === kind ? branch.children : [branch]))
    .filter((branch) => !isAlways(branch, neutral));
  if (children.some((branch) => isAlways(branch, !neutral))) return { kind: 'always', holds: !neutral };
  const [only] = children;
  if (children.length === 1 && only) return only;
  if (kind === 'or') return children.length === 0 ? { kind: 'always', holds: false } : withoutEqualities(children);
  return { kind, children };
}

const isAlways = (expression: Expression, holds: boolean) =>
  (expression.kind === 'always' && expression.holds === holds) ||
  (holds && expression.kind === 'and' && expression.children.length === 0);

/** `$or` of several equalities on one path is `$in`; only the path of the first equality is looked at. */
function withoutEqualities(children: readonly Expression[]): Expression {
  const path = children.map(equality).find((one) => one !== undefined)?.path;
  const equalities = children.map(equality).filter((one) => one !== undefined && one.path === path);
  if (path === undefined || equalities.length < 2) return { kind: 'or', children };
  const one = membership(
    path,
    equalities.map((found) => found?.value),
  );
  const others = children.filter((child) => equality(child)?.path !== path);
  if (others.length === 0) return one;
  const [other] = others;
  return { kind: 'or', children: [one, others.length === 1 && other ? other : { kind: 'or', children: others }] };
}

function equality(expression: Expression): { path: string; value: unknown } | undefined {
  if (expression.kind === 'comparison' && expression.operator === '$eq' && !(expression.value instanceof BSONRegExp))
    return { path: expression.path, value: expression.value };
  return expression.kind === 'other' && expression.operator === '$regex'
    ? { path: expression.path, value: expression.operand }
    : undefined;
}

function onPath(path: string, operand: unknown): Expression[] {
  if (operand instanceof BSONRegExp) return [{ kind: 'other', operator: '$regex', path, operand }];
  if (!isOperatorDoc(operand)) return [{ kind: 'comparison', operator: '$eq', path, value: operand }];
  return Object.entries(operand).flatMap(([name, value]) => operatorOn(path, name, value, operand));
}

function operatorOn(path: string, operator: string, operand: unknown, siblings: Doc): Expression[] {
  switch (operator) {
    case '$eq':
    case '$lt':
    case '$lte':
    case '$gt':
    case '$gte':
      return [{ kind: 'comparison', operator, path, value: operand }];
    case '$ne':
      return [{ kind: 'not', child: { kind: 'comparison', operator: '$eq', path, value: operand } }];
    case '$in':
      return [membership(path, Array.isArray(operand) ? operand : [])];
    case '$nin':
      return [{ kind: 'not', child: membership(path, Array.isArray(operand) ? operand : []) }];
    case '$exists':
      return [truthy(operand) ? { kind: 'exists', path } : { kind: 'not', child: { kind: 'exists', path } }];
    case '$type':
      return [{ kind: 'other', operator, path, operand: typesOf(operand) }];
    case '$not':
      return [{ kind: 'not', child: junction('and', onPath(path, operand)) }];
    case '$all':
      return Array.isArray(operand) ? operand.flatMap((item) => onPath(path, item)) : [];
    case '$regex':
      return [{ kind: 'other', operator, path, operand: patternOf(operand, siblings.$options) }];
    case '$options':
      return [];
    default:
      return [{ kind: 'other', operator, path, operand }];
  }
}

function patternOf(operand: unknown, options: unknown): unknown {
  const given = typeof options === 'string' ? options : '';
  if (typeof operand === 'string') return new BSONRegExp(operand, given);
  return operand instanceof BSONRegExp && given !== '' ? new BSONRegExp(operand.pattern, given) : operand;
}

/** `$in` in order and without repetition; with one value it is an equality, with none it never holds. */
function membership(path: string, items: readonly unknown[]): Expression {
  const patterns = items.filter((item) => item instanceof BSONRegExp);
  const values = items
    .filter((item) => !(item instanceof BSONRegExp))
    .sort(compareValues)
    .filter((item, at, all) => at === 0 || compareValues(item, all[at - 1]) !== 0);
  if (patterns.length + values.length === 0) return { kind: 'always', holds: false };
  if (patterns.length === 0 && values.length === 1) return { kind: 'comparison', operator: '$eq', path, value: values[0] };
  if (values.length === 0 && patterns.length === 1) return { kind: 'other', operator: '$regex', path, operand: patterns[0] };
  return { kind: 'in', path, values, patterns };
}

/** The types that `$type` names, as BSON's numbers in order; `number` stays as it is, as on the server. */
function typesOf(operand: unknown): unknown[] {
  const types = (Array.isArray(operand) ? operand : [operand]).map((one) => {
    if (typeof one === 'string') return one === 'number' ? one : typeNumber(one);
    return one instanceof Double ? one.value : Number(one);
  });
  return [...new Set(types)].sort(compareValues);
}

/** Whether two expressions say the same: numbers of different types are equal, and the order of branches has no meaning. */
export function isEquivalent(a: Expression, b: Expression): boolean {
  switch (a.kind) {
    case 'and':
    case 'or':
    case 'nor':
      return b.kind === a.kind && haveEquivalents(a.children, b.children);
    case 'not':
      return b.kind === 'not' && isEquivalent(a.child, b.child);
    case 'comparison':
      return b.kind === a.kind && a.operator === b.operator && a.path === b.path && equalValues(a.value, b.value);
    case 'in':
      return b.kind === a.kind && a.path === b.path && equalValues([...a.values, ...a.patterns], [...b.values, ...b.patterns]);
    case 'exists':
      return b.kind === a.kind && a.path === b.path;
    case 'other':
      return b.kind === a.kind && a.operator === b.operator && a.path === b.path && equalValues(a.operand, b.operand);
    default:
      return b.kind === 'always' && a.holds === b.holds;
  }
}

function haveEquivalents(a: readonly Expression[], b: readonly Expression[]): boolean {
  if (a.length !== b.length) return false;
  const left = [...b];
  return a.every((one) => {
    const at = left.findIndex((other) => isEquivalent(one, other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}
