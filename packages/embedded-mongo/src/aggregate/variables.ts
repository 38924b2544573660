import { type Doc, isDoc } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import type { Variables } from './scope.ts';

const systemNames = new Set(['ROOT', 'CURRENT', 'REMOVE']);
const first = /^[a-z\u0080-\uffff]/;
const whole = /^[a-zA-Z0-9_\u0080-\uffff]+$/;

/** Refuses names that a variable of a user may not have: they begin with a small letter and have no special characters. */
export function checkVariableName(name: string): void {
  if (name === 'CURRENT') return;
  if (name === '') throw failure('FailedToParse', 'empty variable names are not allowed');
  if (!first.test(name)) throw failure('FailedToParse', `'${name}' starts with an invalid character for a user variable name`);
  if (!whole.test(name)) throw failure('FailedToParse', `'${name}' contains an invalid character for a variable name`);
}

/** Refuses what can't name a variable, of a user or of the system. */
export function checkNameRead(name: string): void {
  if (name === '') throw failure('FailedToParse', 'empty variable names are not allowed');
  if (!/^[a-zA-Z\u0080-\uffff]/.test(name))
    throw failure('FailedToParse', `'${name}' starts with an invalid character for a user variable name`);
  if (!whole.test(name)) throw failure('FailedToParse', `'${name}' contains an invalid character for a variable name`);
}

/** Refuses an expression that uses a variable which is not bound where it stands. */
export function checkVariables(expression: unknown, bound: Variables): void {
  check(expression, (name) => Object.hasOwn(bound, name));
}

type IsBound = (name: string) => boolean;

const nameOr = (as: unknown) => (typeof as === 'string' ? as : 'this');

/** Operators that bind variables for one of their operands. */
const binders = new Map<string, (operand: Doc) => { body: string; names: readonly string[] }>([
  ['$let', ({ vars }) => ({ body: 'in', names: isDoc(vars) ? Object.keys(vars) : [] })],
  ['$map', (operand) => ({ body: 'in', names: [nameOr(operand.as)] })],
  ['$filter', (operand) => ({ body: 'cond', names: [nameOr(operand.as)] })],
  ['$reduce', () => ({ body: 'in', names: ['this', 'value'] })],
]);

function check(expression: unknown, isBound: IsBound): void {
  if (typeof expression === 'string') {
    if (!expression.startsWith('$$')) return;
    const name = expression.slice(2).split('.')[0] ?? '';
    if (!systemNames.has(name) && !isBound(name)) throw location(17276, `Use of undefined variable: ${name}`);
  } else if (Array.isArray(expression)) for (const part of expression) check(part, isBound);
  else if (isDoc(expression)) for (const [name, part] of Object.entries(expression)) checkOperator(name, part, isBound);
}

function checkOperator(name: string, operand: unknown, isBound: IsBound): void {
  if (name === '$literal' || name === '$const') return;
  const bind = binders.get(name);
  if (!bind || !isDoc(operand)) {
    check(operand, isBound);
    return;
  }
  const { body, names } = bind(operand);
  for (const [field, part] of Object.entries(operand)) {
    // Where variables are bound their names are no operators.
    const parts = field === 'vars' && isDoc(part) ? Object.values(part) : [part];
    for (const one of parts) check(one, field === body ? (other) => names.includes(other) || isBound(other) : isBound);
  }
}

/** Refuses a command's `let` that looks at fields: it is evaluated before any document is. */
export function checkConstant(expression: unknown): void {
  const isField =
    typeof expression === 'string' &&
    (/^\$[^$]/.test(expression) || expression.startsWith('$$ROOT') || expression.startsWith('$$CURRENT'));
  if (isField)
    throw location(
      4890500,
      'Command let Expression tried to access a field, but this is not allowed because command let expressions run before the query examines any documents.',
    );
  if (Array.isArray(expression)) for (const part of expression) checkConstant(part);
  else if (isDoc(expression))
    for (const [name, part] of Object.entries(expression)) if (name !== '$literal' && name !== '$const') checkConstant(part);
}
