import { BSONRegExp } from 'bson';
import { compileExpression } from '../aggregate/expression.ts';
import { truthy, type Variables } from '../aggregate/scope.ts';
import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { compileBits } from './match-bits.ts';
import { anyItem, equalTo, inOrder, isOperatorDoc, modulo, ofType, oneOf, regexTest, sizeIs, type Test } from './match-values.ts';
import { someAtPath } from './path.ts';
import { compilePattern } from './pattern.ts';

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
      const evaluate = compileExpression(operand);
      return (doc) => truthy(evaluate({ root: doc, current: doc, variables }));
    }
    case '$comment':
      return always;
    case '$alwaysTrue':
      return always;
    case '$alwaysFalse':
      return () => false;
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
  const matchers = compileOperand(operand, variables).map(
    ({ test, negated }): Matcher =>
      negated ? (doc) => !someAtPath(doc, parts, 0, test) : (doc) => someAtPath(doc, parts, 0, test),
  );
  const [first = always] = matchers;
  return matchers.length <= 1 ? first : (doc) => matchers.every((matcher) => matcher(doc));
}

/** A test at the end of a path; `negated` means that no value there may satisfy it. */
type Condition = { test: Test; negated: boolean };

function compileOperand(operand: unknown, variables: Variables): Condition[] {
  if (operand instanceof BSONRegExp) return [positive(compilePattern(operand.pattern, operand.options))];
  if (!isOperatorDoc(operand)) return [positive(anyItem(equalTo(operand)))];
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

const positive = (test: Test): Condition => ({ test, negated: false });
const negative = (test: Test): Condition => ({ test, negated: true });

function compileOperator(name: string, operand: unknown, siblings: Doc, variables: Variables): Condition {
  switch (name) {
    case '$eq':
      return positive(anyItem(equalTo(operand)));
    case '$ne':
      if (operand instanceof BSONRegExp) throw bad("Can't have regex as arg to $ne.");
      return negative(anyItem(equalTo(operand)));
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      if (operand instanceof BSONRegExp) throw bad(`Can't have RegEx as arg to predicate over field.`);
      return positive(anyItem(inOrder(name, operand)));
    case '$in':
      return positive(anyItem(oneOf(name, operand)));
    case '$nin':
      return negative(anyItem(oneOf(name, operand)));
    case '$exists':
      return truthy(operand) ? positive((value) => value !== undefined) : negative((value) => value !== undefined);
    case '$type':
      return positive(anyItem(ofType(operand)));
    case '$not':
      return negateAll(operand, variables);
    case '$regex':
      return positive(regexTest(operand, siblings));
    case '$mod':
      return positive(anyItem(modulo(operand)));
    case '$size':
      return positive(sizeIs(operand));
    case '$all':
      return positive(containsAll(operand, variables));
    case '$elemMatch':
      return positive(compileElemMatch(operand, variables));
    case '$bitsAllSet':
    case '$bitsAllClear':
    case '$bitsAnySet':
    case '$bitsAnyClear':
      return positive(anyItem(compileBits(name, operand)));
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
  if (operand instanceof BSONRegExp) return negative(compilePattern(operand.pattern, operand.options));
  if (!isDoc(operand)) throw bad('$not needs a regex or a document');
  if (Object.keys(operand).length === 0) throw bad('$not cannot be empty');
  if (!isOperatorDoc(operand)) throw bad('unknown operator: $not needs operators');
  // The value reached is wrapped so that negated inner operators see it as a whole document would.
  const inner = compileOperand(operand, variables);
  const [only] = inner;
  if (inner.length === 1 && only && !only.negated) return negative(only.test);
  return negative((value) => inner.every(({ test, negated }) => test(value) !== negated));
}

function containsAll(operand: unknown, variables: Variables): Test {
  if (!Array.isArray(operand)) throw bad('$all needs an array');
  if (operand.length === 0) return () => false;
  const tests = operand.map((item): Test => {
    if (isDoc(item) && Object.hasOwn(item, '$elemMatch')) return compileElemMatch(item.$elemMatch, variables);
    if (isOperatorDoc(item)) throw bad('no $ expressions in $all');
    return anyItem(item instanceof BSONRegExp ? compilePattern(item.pattern, item.options) : equalTo(item));
  });
  return (value) => tests.every((test) => test(value));
}

function compileElemMatch(operand: unknown, variables: Variables): Test {
  const item = compileItem(operand, variables, '$elemMatch');
  return (value) => Array.isArray(value) && value.some(item);
}

/** A condition on one element, as `$elemMatch` and `$pull` have it: operators on the value, or a filter on a document. */
export function compileItem(operand: unknown, variables: Variables, name: string): Test {
  if (!isDoc(operand)) throw bad(`${name} needs an Object`);
  const [first] = Object.keys(operand);
  const logical = first === '$and' || first === '$or' || first === '$nor' || first === '$expr';
  if (isOperatorDoc(operand) && !logical) {
    const conditions = compileOperand(operand, variables);
    return (value) => conditions.every(({ test, negated }) => test(value) !== negated);
  }
  const matcher = compileFilter(operand, variables);
  // A nested array is matched by position, as a document whose fields are numbers.
  return (value) => (isDoc(value) ? matcher(value) : Array.isArray(value) && matcher({ ...value }));
}
