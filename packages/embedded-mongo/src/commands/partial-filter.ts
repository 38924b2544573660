import { BSONRegExp } from 'bson';
import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { refuseExpr } from '../query/expr-places.ts';
import { compileFilter } from '../query/match.ts';
import { isOperatorDoc } from '../query/match-values.ts';

const operators = new Set(['$eq', '$gt', '$gte', '$lt', '$lte', '$exists', '$type', '$in']);
const depthMax = 4;

/** Refuses a partial filter that takes more than the few operators of which a planner can tell what the index holds. */
export function checkPartialFilter(filter: Doc): void {
  refuseExpr(filter, 'unsupported expression in partial index: $expr is not allowed in this context');
  compileFilter(filter);
  check(filter, 1);
}

const unsupported = (what: string) => failure('CannotCreateIndex', `Expression not supported in partial index: ${what}`);

function check(filter: Doc, depth: number): void {
  if (depth > depthMax) throw failure('CannotCreateIndex', 'partialFilterExpression depth may not exceed 4');
  for (const [path, operand] of Object.entries(filter)) {
    if ((path === '$and' || path === '$or') && Array.isArray(operand)) {
      for (const part of operand) if (isDoc(part)) check(part, depth + 1);
    } else if (path.startsWith('$')) throw unsupported(path);
    else if (operand instanceof BSONRegExp) throw unsupported(`${path}: a regular expression`);
    else if (isOperatorDoc(operand)) checkOperators(path, operand);
  }
}

function checkOperators(path: string, operand: Doc): void {
  for (const [operator, value] of Object.entries(operand)) {
    // `$exists: false` and a pattern are a negation and a scan in disguise.
    const disguised = (operator === '$exists' && !value) || value instanceof BSONRegExp;
    const patterns = Array.isArray(value) && value.some((one) => one instanceof BSONRegExp);
    if (!operators.has(operator) || disguised || patterns) throw unsupported(`${path}: ${operator}`);
  }
}
