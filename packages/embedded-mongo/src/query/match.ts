import { BSONRegExp } from 'bson';
import { compileExpression } from '../aggregate/expression.ts';
import { truthy, type Variables } from '../aggregate/scope.ts';
import { checkVariables } from '../aggregate/variables.ts';
import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { refuseExpr } from './expr-places.ts';
import { compileBits } from './match-bits.ts';
import { equalTo, inOrder, isOperatorDoc, modulo, ofType, oneOf, regexTest, sizeIs, type Test } from './match-values.ts';
import { type LeafArrays, someAtPath } from './path.ts';
import { compilePatternOfOne } from './pattern.ts';

/** Tells whether a document satisfies a filter. */
export type Matcher = (doc: Doc) => boolean;

const always: Matcher = () => true;
const bad = (message: string) => failure('BadValue', message);

/** Compiles a filter. Refuses unknown operators and malformed operands as the server does. */
export function compileFilter(filter: Doc, variables: Variables = {}): Matcher {
  const matchers: Matcher[] = [];
  for (const [name, operand] of Object.entries(filter)) {
    const matcher = name.startsWith('$') ? compileTopLevel(name, operand, variables) : compilePath(name, operand, variables);
    if (matcher !== always) matchers.push(matcher);
  }
  if (matchers.length === 0) return always;
  const [first = always] = matchers;
  return matchers.length === 1 ? first : (doc) => matchers.every((matcher) => matcher(doc));
}

function compileTopLevel(name: string, operand: unknown, variables: Variables): Matcher {
  switch (name) {
    case '$and': {
      const all = branches(name, operand, variables);
      return (doc) => all.every((matcher) => matcher(doc));
    }
    case '$or': {
      const any = branches(name, operand, variables);
      return (doc) => any.some((matcher) => matcher(doc));
    }
    case '$nor': {
      const none = branches(name, operand, variables);
      return (doc) => !none.some((matcher) => matcher(doc));
    }
    case '$expr': {
      checkVariables(operand, variables);
      const evaluate = compileExpression(operand);
      return (doc) => truthy(evaluate({ root: doc, current: doc, variables }));
    }
    case '$comment':
      return always;
    case '$alwaysTrue':
    case '$alwaysFalse':
      if (!isNumeric(operand) || Number(operand) !== 1) throw failure('FailedToParse', `${name} must be an integer value of 1`);
      return name === '$alwaysTrue' ? always : () => false;
    case '$where':
    case '$text':
    case '$jsonSchema':
      throw failure('NotImplemented', `${name} is not supported by this server`);
    default:
      throw bad(
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function branches(name: string, operand: unknown, variables: Variables): Matcher[] {
  if (!Array.isArray(operand)) throw bad(`${name} must be an array`);
  if (operand.length === 0) throw bad('$and/$or/$nor must be a nonempty array');
  return operand.map((branch) => {
    if (!isDoc(branch)) throw bad('$or/$and/$nor entries need to be full objects');
    return compileFilter(branch, variables);
  });
}

function compilePath(path: string, operand: unknown, variables: Variables): Matcher {
  const parts = path.split('.');
  const matchers = compileOperand(operand, variables).map((condition) => atPath(condition, parts));
  const [first = always] = matchers;
  return matchers.length <= 1 ? first : (doc) => matchers.every((matcher) => matcher(doc));
}

/** A test of the values at the end of a path, or what is made of such tests, each of which follows the path by itself. */
type Condition =
  | { kind: 'test'; test: Test; leaf: LeafArrays }
  | { kind: 'all'; conditions: readonly Condition[] }
  | { kind: 'not'; conditions: readonly Condition[] };

/** Whether the values that a path reaches from here satisfy a condition: one for a test, none for its negation. */
function atPath(condition: Condition, parts: readonly string[]): (from: unknown) => boolean {
  if (condition.kind === 'test') {
    const { test, leaf } = condition;
    return (from) => someAtPath(from, parts, 0, leaf, test);
  }
  const inner = condition.conditions.map((one) => atPath(one, parts));
  return condition.kind === 'all' ? (from) => inner.every((one) => one(from)) : (from) => !inner.every((one) => one(from));
}

/** Whether one value by itself satisfies a condition, as an element has to in `$elemMatch`. */
function ofOne(condition: Condition): Test {
  if (condition.kind === 'test') return condition.test;
  const inner = condition.conditions.map(ofOne);
  return condition.kind === 'all' ? (value) => inner.every((one) => one(value)) : (value) => !inner.every((one) => one(value));
}

function compileOperand(operand: unknown, variables: Variables): Condition[] {
  if (operand instanceof BSONRegExp) return [some(compilePatternOfOne(operand.pattern, operand.options))];
  if (!isOperatorDoc(operand)) return [some(equalTo(operand))];
  const conditions: Condition[] = [];
  for (const [name, value] of Object.entries(operand)) {
    if (name === '$options') {
      if (!Object.hasOwn(operand, '$regex')) throw bad('$options needs a $regex');
      continue;
    }
    conditions.push(compileOperator(name, value, operand, variables));
  }
  return conditions;
}

const some = (test: Test): Condition => ({ kind: 'test', test, leaf: 'elements' });
const whole = (test: Test): Condition => ({ kind: 'test', test, leaf: 'whole' });
const not = (...conditions: Condition[]): Condition => ({ kind: 'not', conditions });
const exists = whole((value) => value !== undefined);

function compileOperator(name: string, operand: unknown, siblings: Doc, variables: Variables): Condition {
  switch (name) {
    case '$eq':
      return some(equalTo(operand));
    case '$ne':
      if (operand instanceof BSONRegExp) throw bad("Can't have regex as arg to $ne.");
      return not(some(equalTo(operand)));
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      if (operand instanceof BSONRegExp) throw bad(`Can't have RegEx as arg to predicate over field.`);
      return some(inOrder(name, operand));
    case '$in':
      return some(oneOf(name, operand));
    case '$nin':
      return not(some(oneOf(name, operand)));
    case '$exists':
      return truthy(operand) ? exists : not(exists);
    case '$type':
      return some(ofType(operand));
    case '$not':
      return negateAll(operand, variables);
    case '$regex':
      return some(regexTest(operand, siblings));
    case '$mod':
      return some(modulo(operand));
    case '$size':
      return whole(sizeIs(operand));
    case '$all':
      return { kind: 'all', conditions: containsAll(operand, variables) };
    case '$elemMatch':
      return whole(compileElemMatch(operand, variables));
    case '$bitsAllSet':
    case '$bitsAllClear':
    case '$bitsAnySet':
    case '$bitsAnyClear':
      return some(compileBits(name, operand));
    default:
      if (
        name === '$near' ||
        name === '$nearSphere' ||
        name === '$geoWithin' ||
        name === '$geoIntersects' ||
        name === '$within'
      ) {
        throw failure('NotImplemented', `${name} is not supported by this server`);
      }
      throw bad(`unknown operator: ${name}`);
  }
}

function negateAll(operand: unknown, variables: Variables): Condition {
  if (operand instanceof BSONRegExp) return not(some(compilePatternOfOne(operand.pattern, operand.options)));
  if (!isDoc(operand)) throw bad('$not needs a regex or a document');
  if (Object.keys(operand).length === 0) throw bad('$not cannot be empty');
  if (!isOperatorDoc(operand)) throw bad('unknown operator: $not needs operators');
  return not(...compileOperand(operand, variables));
}

function containsAll(operand: unknown, variables: Variables): Condition[] {
  if (!Array.isArray(operand)) throw bad('$all needs an array');
  if (operand.length === 0) return [whole(() => false)];
  const isElemMatch = (item: unknown) => isDoc(item) && Object.keys(item)[0] === '$elemMatch';
  if (isElemMatch(operand[0]) && !operand.every(isElemMatch)) throw bad('$all/$elemMatch has to be consistent');
  return operand.map((item): Condition => {
    if (isDoc(item) && isElemMatch(operand[0])) return whole(compileElemMatch(item.$elemMatch, variables));
    if (isOperatorDoc(item)) throw bad('no $ expressions in $all');
    return some(item instanceof BSONRegExp ? compilePatternOfOne(item.pattern, item.options) : equalTo(item));
  });
}

function compileElemMatch(operand: unknown, variables: Variables): Test {
  const item = compileItem(operand, variables, '$elemMatch');
  return (value) => Array.isArray(value) && value.some(item);
}

/**
 * A condition on one element, as `$elemMatch` and `$pull` have it: operators on the value, or a filter on a document. What is
 * pulled is matched like a field's value, so an element that is an array is gone into; `$elemMatch` looks at it as a whole.
 */
export function compileItem(operand: unknown, variables: Variables, name: string): Test {
  if (!isDoc(operand)) throw bad(`${name} needs an Object`);
  refuseExpr(operand, () => bad('$expr can only be applied to the top-level document'));
  const [first] = Object.keys(operand);
  const logical = first === '$and' || first === '$or' || first === '$nor' || first === '$expr';
  if (isOperatorDoc(operand) && !logical) {
    const tests = compileOperand(operand, variables).map((one) => (name === '$elemMatch' ? ofOne(one) : atPath(one, [])));
    return (value) => tests.every((test) => test(value));
  }
  const matcher = compileFilter(operand, variables);
  // A nested array is matched by position, as a document whose fields are numbers.
  return (value) => (isDoc(value) ? matcher(value) : Array.isArray(value) && matcher({ ...value }));
}
