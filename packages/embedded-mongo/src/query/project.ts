import { compileExpression } from '../aggregate/expression.ts';
import { type Expression, truthy, type Variables } from '../aggregate/scope.ts';
import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { compileItem } from './match.ts';
import { matchedPosition } from './matched-position.ts';
import { setField, valueAt } from './path.ts';

export type Projection = (doc: Doc) => Doc;
/** What a projection says about a path: keep or drop it, or what is below it. */
type Node = Map<string, Node | boolean>;
type Computed = { parts: string[]; value: (doc: Doc) => unknown };

/** `filter` is given by find, which alone knows `$`, `$elemMatch` and `$slice` as projections. */
export type ProjectionContext = { variables: Variables; filter?: Doc };

/** Compiles a projection as find and `$project` have it. */
export function compileProjection(spec: Doc, context: ProjectionContext): Projection {
  const plan = { node: new Map() as Node, computed: [] as Computed[], including: undefined as boolean | undefined, keepId: true };
  const flag = (path: string, keep: boolean) => {
    if (path === '_id' && !keep) {
      plan.keepId = false;
      return;
    }
    if (path !== '_id') {
      if (plan.including !== undefined && plan.including !== keep) {
        throw location(
          keep ? 31253 : 31254,
          `Cannot do ${keep ? 'inclusion' : 'exclusion'} on field ${path} in ${keep ? 'exclusion' : 'inclusion'} projection`,
        );
      }
      plan.including = keep;
    }
    addPath(plan.node, path.split('.'), keep);
  };
  const visit = (prefix: string, fields: Doc): void => {
    for (const [name, value] of Object.entries(fields)) {
      const path = prefix + name;
      if (typeof value === 'boolean' || isNumeric(value)) {
        if (context.filter && path.endsWith('.$') && truthy(value)) {
          plan.including = true;
          plan.computed.push(positional(path.slice(0, -2), context.filter));
        } else flag(path, truthy(value));
      } else if (isDoc(value) && !Object.keys(value)[0]?.startsWith('$')) {
        if (Object.keys(value).length === 0)
          throw location(51270, `An empty sub-projection is not a valid value. Found empty object at path ${path}`);
        visit(`${path}.`, value);
      } else {
        const computed = compute(path, value, context);
        plan.computed.push(computed);
        if (!(isDoc(value) && Object.keys(value)[0] === '$slice' && context.filter && isPlainSlice(value.$slice)))
          plan.including ??= true;
      }
    }
  };
  visit('', spec);
  if (plan.including === undefined && plan.keepId && plan.node.has('_id')) plan.including = true;
  return plan.including === true ? inclusion(plan) : exclusion(plan);
}

function addPath(node: Node, parts: readonly string[], keep: boolean): void {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) {
    if (node.has(first)) throw location(31250, `Path collision at ${first}`);
    node.set(first, keep);
    return;
  }
  const inner = node.get(first) ?? new Map();
  if (typeof inner === 'boolean') throw location(31249, `Path collision at ${parts.join('.')}`);
  node.set(first, inner);
  addPath(inner, rest, keep);
}

function inclusion(plan: { node: Node; computed: Computed[]; keepId: boolean }): Projection {
  if (plan.keepId) plan.node.set('_id', true);
  return (doc) => {
    const projected = included(doc, plan.node) as Doc;
    for (const { parts, value } of plan.computed) setNested(projected, parts, value(doc));
    return projected;
  };
}

function included(value: unknown, node: Node): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => isDoc(item) || Array.isArray(item)).map((item) => included(item, node));
  }
  if (!isDoc(value)) return undefined;
  const kept: Doc = {};
  for (const name in value) {
    const rule = node.get(name);
    if (!rule) continue;
    const inner = rule === true ? value[name] : included(value[name], rule);
    if (inner !== undefined) setField(kept, name, inner);
  }
  return kept;
}

function exclusion(plan: { node: Node; computed: Computed[]; keepId: boolean }): Projection {
  if (!plan.keepId) plan.node.set('_id', false);
  else plan.node.delete('_id');
  return (doc) => {
    const projected = excluded(doc, plan.node) as Doc;
    for (const { parts, value } of plan.computed) setNested(projected, parts, value(doc));
    return projected;
  };
}

function excluded(value: unknown, node: Node): unknown {
  if (Array.isArray(value)) return value.map((item) => excluded(item, node));
  if (!isDoc(value)) return value;
  const kept: Doc = {};
  for (const name in value) {
    const rule = node.get(name);
    if (rule === false) continue;
    setField(kept, name, rule instanceof Map ? excluded(value[name], rule) : value[name]);
  }
  return kept;
}

/** Sets a computed value, going into each element of arrays; a missing value takes the field away. */
export function setNested(target: Doc, parts: readonly string[], value: unknown): void {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) {
    if (value === undefined) delete target[first];
    else setField(target, first, value);
    return;
  }
  setField(target, first, nestedIn(target[first], rest, value));
}

function nestedIn(inner: unknown, parts: readonly string[], value: unknown): unknown {
  if (Array.isArray(inner)) return inner.map((item) => nestedIn(item, parts, value));
  const copy: Doc = isDoc(inner) ? { ...inner } : {};
  setNested(copy, parts, value);
  return copy;
}

const isPlainSlice = (operand: unknown) =>
  isNumeric(operand) || (Array.isArray(operand) && operand.every(isNumeric) && operand.length === 2);

function compute(path: string, value: unknown, context: ProjectionContext): Computed {
  const parts = path.split('.');
  const operator = isDoc(value) ? Object.keys(value)[0] : undefined;
  if (context.filter && isDoc(value)) {
    if (operator === '$elemMatch') {
      const item = compileItem(value.$elemMatch, context.variables, '$elemMatch');
      return { parts, value: (doc) => firstItem(valueAt(doc, parts), item) };
    }
    if (operator === '$slice' && isPlainSlice(value.$slice)) {
      const cut = slicing(value.$slice);
      return { parts, value: (doc) => cut(valueAt(doc, parts)) };
    }
    if (operator === '$meta') throw failure('NotImplemented', '$meta is not supported by this server');
  }
  const expression: Expression = compileExpression(value);
  return { parts, value: (doc) => expression({ root: doc, current: doc, variables: context.variables }) };
}

function firstItem(value: unknown, test: (item: unknown) => boolean): unknown {
  const found = Array.isArray(value) ? value.find(test) : undefined;
  return found === undefined ? undefined : [found];
}

function slicing(operand: unknown): (value: unknown) => unknown {
  const [skip, limit] = Array.isArray(operand) ? operand.map(Number) : [undefined, Number(operand)];
  return (value) => {
    if (!Array.isArray(value)) return value;
    if (skip === undefined) return (limit ?? 0) < 0 ? value.slice(limit) : value.slice(0, limit);
    const start = skip < 0 ? Math.max(0, value.length + skip) : skip;
    return value.slice(start, start + (limit ?? 0));
  };
}

function positional(path: string, filter: Doc): Computed {
  const parts = path.split('.');
  return {
    parts,
    value: (doc) => {
      const position = matchedPosition(doc, filter, parts);
      const array = valueAt(doc, parts);
      if (position === undefined || !Array.isArray(array)) {
        throw location(
          51246,
          `Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array`,
        );
      }
      return [array[position]];
    },
  };
}
