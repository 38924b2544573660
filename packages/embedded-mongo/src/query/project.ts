import { compileExpression, isExpressionName } from '../aggregate/expression.ts';
import { truthy, type Variables } from '../aggregate/scope.ts';
import { checkVariables } from '../aggregate/variables.ts';
import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { pathParts } from './field-path.ts';
import { addPath, type Computed, exclusion, inclusion, type Node } from './project-apply.ts';
import { checkPositional, itemMatching, matchedItem, plainSlice, positionIn } from './project-find.ts';

export type Projection = (doc: Doc) => Doc;

/** `filter` is given by find, which alone knows `$`, `$elemMatch` and `$slice` as projections. */
export type ProjectionContext = { variables: Variables; filter?: Doc };

/** What is known of a projection so far. */
type Plan = ProjectionContext & {
  node: Node;
  computed: Computed[];
  /** Whether fields are kept or dropped; undefined while no field has told. */
  including: boolean | undefined;
  keepId: boolean;
  /** The paths that fields have taken, and what those begin with. */
  leaves: Set<string>;
  inner: Set<string>;
  /** Which of find's own projections were met. */
  met: Set<'$' | '$elemMatch' | '$slice'>;
};

/** Compiles a projection as find and `$project` have it. Refuses one that contradicts itself. */
export function compileProjection(spec: Doc, context: ProjectionContext): Projection {
  const plan: Plan = {
    ...context,
    ...{ node: new Map(), computed: [], including: undefined, keepId: true },
    ...{ leaves: new Set(), inner: new Set(), met: new Set() },
  };
  readFields(plan, '', spec);
  const { node, computed, keepId } = plan;
  if (isInclusion(plan)) {
    if (keepId && !plan.leaves.has('_id') && !plan.inner.has('_id')) node.set('_id', true);
    return inclusion(node, computed);
  }
  if (!keepId) node.set('_id', false);
  else if (node.get('_id') === true) node.delete('_id');
  return exclusion(node, computed);
}

function isInclusion({ including, keepId, node, met }: Plan): boolean {
  const keepsId = keepId && node.get('_id') === true;
  return including ?? (met.has('$slice') ? keepsId : met.has('$elemMatch') || keepsId);
}

function readFields(plan: Plan, prefix: string, fields: Doc): void {
  for (const [name, value] of Object.entries(fields)) readField(plan, prefix + name, name, value);
}

function readField(plan: Plan, path: string, name: string, value: unknown): void {
  const position = positionIn(name);
  if (position !== undefined && !plan.filter) throw location(31324, 'Cannot use positional projection in aggregation projection');
  if (isDoc(value)) {
    if (position !== undefined) throw location(31271, 'positional projection cannot be used with an expression or sub object');
    readDocument(plan, path, name, value);
  } else if (typeof value !== 'boolean' && !isNumeric(value)) {
    if (position !== undefined) throw location(31308, 'positional projection cannot be used with a literal');
    compute(plan, path, value);
  } else if (!truthy(value)) exclude(plan, path);
  else if (position !== undefined && plan.filter) keepMatched(plan, path, position, plan.filter);
  else include(plan, path);
}

function readDocument(plan: Plan, path: string, name: string, value: Doc): void {
  const [operator, ...others] = Object.keys(value);
  if (operator === undefined)
    throw location(51270, `An empty sub-projection is not a valid value. Found empty object at path ${path}`);
  pathParts(name);
  if (others.length > 0 || !operator.startsWith('$')) {
    readFields(plan, `${path}.`, value);
    return;
  }
  const operand = value[operator];
  if (operator === '$meta') throw failure('NotImplemented', '$meta is not supported by this server');
  if (operator === '$elemMatch') {
    if (!plan.filter) throw failure('InvalidPipelineOperator', 'Cannot use $elemMatch in this context');
    if (plan.met.has('$')) throw location(31255, 'Cannot specify positional operator and $elemMatch.');
    plan.met.add('$elemMatch');
    plan.computed.push({ parts: claim(plan, path), value: itemMatching(path, operand, plan.variables) });
    return;
  }
  const cut = operator === '$slice' && plan.filter ? plainSlice(path, operand) : undefined;
  if (cut) {
    plan.met.add('$slice');
    plan.computed.push({ parts: claim(plan, path), value: cut });
  } else if (isExpressionName(operator)) compute(plan, path, value);
  else throw location(31325, `Unknown expression ${operator}`);
}

function keepMatched(plan: Plan, path: string, position: string, filter: Doc): void {
  if (plan.met.has('$')) throw location(31276, 'Cannot specify more than one positional projection per query.');
  if (plan.met.has('$elemMatch')) throw location(31256, 'Cannot specify positional operator and $elemMatch.');
  checkPositional(path, position, filter);
  plan.met.add('$');
  const array = path.slice(0, -2);
  const parts = claim(plan, array);
  decide(plan, array, true);
  plan.computed.push({ parts, value: matchedItem(parts, filter) });
}

function compute(plan: Plan, path: string, value: unknown): void {
  if (plan.including === false) {
    throw isDoc(value)
      ? location(31252, 'Cannot use expression other than $meta in exclusion projection')
      : location(31310, `Cannot use an expression ${path}: ${String(value)} in an exclusion projection`);
  }
  plan.including = true;
  const { variables } = plan;
  const expression = compileExpression(value);
  checkVariables(value, variables);
  plan.computed.push({
    parts: claim(plan, path),
    value: (doc) => expression({ root: doc, current: doc, variables }),
  });
}

function include(plan: Plan, path: string): void {
  addPath(plan.node, claim(plan, path), true);
  if (path !== '_id') decide(plan, path, true);
}

function exclude(plan: Plan, path: string): void {
  const parts = claim(plan, path);
  if (path === '_id') {
    plan.keepId = false;
    return;
  }
  addPath(plan.node, parts, false);
  decide(plan, path, false);
}

function decide(plan: Plan, path: string, keep: boolean): void {
  if (plan.including !== undefined && plan.including !== keep) {
    const [does, within] = keep ? ['inclusion', 'exclusion'] : ['exclusion', 'inclusion'];
    throw location(keep ? 31253 : 31254, `Cannot do ${does} on field ${path} in ${within} projection`);
  }
  plan.including = keep;
}

/** Takes a path for one field. Refuses it if it is taken, or what it begins with, or what begins with it. */
function claim(plan: Plan, path: string): string[] {
  const parts = pathParts(path);
  if (plan.leaves.has(path) || plan.inner.has(path)) throw location(31250, `Path collision at ${path}`);
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const beginning = path.slice(0, dot);
    if (plan.leaves.has(beginning)) throw location(31249, `Path collision at ${path} remaining portion ${path.slice(dot + 1)}`);
    plan.inner.add(beginning);
  }
  plan.leaves.add(path);
  return parts;
}
