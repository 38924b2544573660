import { BSONRegExp, Decimal128, Double } from 'bson';
import { compileExpression } from '../aggregate/expression.ts';
import { truthy, type Variables } from '../aggregate/scope.ts';
import { compareValues } from '../bson/compare.ts';
import {
  type Doc,
  isDoc,
  isNullish,
  isNumeric,
  isTypeNumber,
  rankOf,
  typeNumber,
  typeNumberOf,
  typeRank,
} from '../bson/types.ts';
import { failure } from '../errors.ts';
import { compileBits } from './match-bits.ts';
import { someAtPath } from './path.ts';
import { compilePattern } from './pattern.ts';

/** Tells whether a document satisfies a filter. */
export type Matcher = (doc: Doc) => boolean;
/** Tells whether a value at the end of a path satisfies an operator. */
type Test = (value: unknown) => boolean;

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

/** Whether an operand is a document of operators rather than a value to equal. */
export function isOperatorDoc(operand: unknown): operand is Doc {
  if (!isDoc(operand)) return false;
  const [first] = Object.keys(operand);
  return first?.startsWith('$') === true && first !== '$ref' && first !== '$id' && first !== '$db';
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

/** Most operators hold for an array if they hold for it or for one of its elements. */
function anyItem(test: Test): Test {
  return (value) => test(value) || (Array.isArray(value) && value.some(test));
}

/** Equality as filters mean it: null also equals a missing field. */
export function equalTo(operand: unknown): Test {
  if (isNullish(operand)) return (value) => isNullish(value);
  if (typeof operand === 'string' || typeof operand === 'boolean') return (value) => value === operand;
  return (value) => value !== undefined && compareValues(value, operand) === 0;
}

function inOrder(name: '$gt' | '$gte' | '$lt' | '$lte', operand: unknown): Test {
  const rank = rankOf(operand);
  if (rank === typeRank.null || rank === typeRank.undefined) {
    return name === '$gte' || name === '$lte' ? (value) => isNullish(value) : () => false;
  }
  const holds = {
    $gt: (order: number) => order > 0,
    $gte: (order: number) => order >= 0,
    $lt: (order: number) => order < 0,
    $lte: (order: number) => order <= 0,
  }[name];
  const anyType = rank === typeRank.minKey || rank === typeRank.maxKey;
  const operandNaN = isNaNValue(operand);
  return (value) => {
    if (value === undefined) return false;
    if (!anyType && rankOf(value) !== rank) return false;
    if (operandNaN !== isNaNValue(value)) return false;
    return holds(compareValues(value, operand));
  };
}

function isNaNValue(value: unknown): boolean {
  return Number.isNaN(value) || (value instanceof Decimal128 && value.toString() === 'NaN');
}

function oneOf(name: string, operand: unknown): Test {
  if (!Array.isArray(operand)) throw bad(`${name} needs an array`);
  const plain = new Set<unknown>();
  const tests: Test[] = [];
  for (const item of operand) {
    if (isOperatorDoc(item)) throw bad(`cannot nest $ under ${name}`);
    if (typeof item === 'string') plain.add(item);
    else tests.push(item instanceof BSONRegExp ? compilePattern(item.pattern, item.options) : equalTo(item));
  }
  return (value) => plain.has(value) || tests.some((test) => test(value));
}

function ofType(operand: unknown): Test {
  const numbers = new Set<number>();
  const wanted = Array.isArray(operand) ? operand : [operand];
  if (wanted.length === 0) throw failure('FailedToParse', '$type must match at least one type');
  for (const one of wanted) {
    if (one === 'number') for (const number of [1, 16, 18, 19]) numbers.add(number);
    else if (typeof one === 'string') {
      const number = typeNumber(one);
      if (number === undefined) throw bad(`Unknown type name alias: ${one}`);
      numbers.add(number);
    } else {
      const number = one instanceof Double ? one.value : Number(one);
      if (!isNumeric(one)) throw failure('TypeMismatch', 'type must be represented as a number or a string');
      if (!isTypeNumber(number)) throw bad(`Invalid numerical type code: ${number}`);
      numbers.add(number);
    }
  }
  return (value) => value !== undefined && numbers.has(typeNumberOf(value));
}

function regexTest(operand: unknown, siblings: Doc): Test {
  const options = siblings.$options;
  if (options !== undefined && typeof options !== 'string') throw bad('$options has to be a string');
  if (operand instanceof BSONRegExp) {
    if (options !== undefined && operand.options !== '') {
      throw failure('Location10334', 'options set in both $regex and $options');
    }
    return compilePattern(operand.pattern, options ?? operand.options);
  }
  if (typeof operand !== 'string') throw bad('$regex has to be a string');
  return compilePattern(operand, options ?? '');
}

function modulo(operand: unknown): Test {
  if (!Array.isArray(operand)) throw bad('malformed mod, needs to be an array');
  if (operand.length < 2) throw bad('malformed mod, not enough elements');
  if (operand.length > 2) throw bad('malformed mod, too many elements');
  const divisor = integerOf(operand[0]);
  const remainder = integerOf(operand[1]);
  if (divisor === undefined) throw bad('malformed mod, divisor not a number');
  if (remainder === undefined) throw bad('malformed mod, remainder not a number');
  if (divisor === 0n) throw bad('divisor cannot be 0');
  return (value) => {
    const integer = integerOf(value);
    return integer !== undefined && integer % divisor === remainder;
  };
}

/** A number cut to an integer; undefined for anything else. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  const number = value instanceof Double ? value.value : value instanceof Decimal128 ? Number(value.toString()) : value;
  return typeof number === 'number' && Number.isFinite(number) ? BigInt(Math.trunc(number)) : undefined;
}

function sizeIs(operand: unknown): Test {
  const size = integerOf(operand);
  if (size === undefined)
    throw failure('FailedToParse', `Failed to parse $size. Expected a number in: $size: ${String(operand)}`);
  if (size < 0n) throw failure('FailedToParse', `Failed to parse $size. Expected a non-negative number in: $size: ${size}`);
  return (value) => Array.isArray(value) && BigInt(value.length) === size;
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
