import { isDoc, isNullish } from '../bson/types.ts';
import { location } from '../errors.ts';
import { type Named, namedArguments } from './arguments.ts';
import { compileConvert } from './convert.ts';
import { compileFilterItems, compileMap, compileReduce, compileSortArray } from './operators-arrays.ts';
import { compileGetField, compileSetField, compileUnsetField } from './operators-fields.ts';
import { type Compile, type Expression, type Scope, truthy, withVariables } from './scope.ts';
import { checkVariableName } from './variables.ts';

/** Operators that decide themselves which of their operands are evaluated, and with which variables. */
export const lazyOperators: ReadonlyMap<string, (operand: unknown, compile: Compile) => Expression> = new Map([
  ['$literal', (operand: unknown) => () => operand],
  ['$const', (operand: unknown) => () => operand],
  ['$cond', compileCond],
  ['$ifNull', compileIfNull],
  ['$switch', compileSwitch],
  [
    '$and',
    (operand: unknown, compile: Compile) => {
      const all = list(operand).map(compile);
      return (scope: Scope) => all.every((one) => truthy(one(scope)));
    },
  ],
  [
    '$or',
    (operand: unknown, compile: Compile) => {
      const any = list(operand).map(compile);
      return (scope: Scope) => any.some((one) => truthy(one(scope)));
    },
  ],
  ['$let', compileLet],
  ['$map', compileMap],
  ['$filter', compileFilterItems],
  ['$reduce', compileReduce],
  ['$getField', compileGetField],
  ['$setField', compileSetField],
  ['$unsetField', compileUnsetField],
  ['$sortArray', compileSortArray],
  ['$convert', compileConvert],
]);

const list = (operand: unknown): unknown[] => (Array.isArray(operand) ? operand : [operand]);

const conditional: Named = {
  ...{ object: 17080, unknown: 17083, known: ['if', 'then', 'else'] },
  // biome-ignore lint/suspicious/noThenProperty: an argument of $cond is named `then`
  required: { if: 17080, then: 17081, else: 17082 },
};

function compileCond(operand: unknown, compile: Compile): Expression {
  let parts = operand;
  if (isDoc(operand)) {
    const { if: test, then, else: otherwise } = namedArguments('$cond', operand, conditional);
    parts = [test, then, otherwise];
  }
  if (!Array.isArray(parts) || parts.length !== 3) throw location(16020, 'Expression $cond takes exactly 3 arguments.');
  const test = compile(parts[0]);
  const then = compile(parts[1]);
  const otherwise = compile(parts[2]);
  return (scope) => (truthy(test(scope)) ? then(scope) : otherwise(scope));
}

function compileIfNull(operand: unknown, compile: Compile): Expression {
  const options = list(operand).map(compile);
  if (options.length < 2) throw location(1257300, '$ifNull needs at least two arguments');
  return (scope) => {
    let value: unknown;
    for (const option of options) {
      value = option(scope);
      if (!isNullish(value)) return value;
    }
    return value;
  };
}

const switching: Named = { object: 40060, unknown: 40067, known: ['branches', 'default'], required: {} };
// biome-ignore lint/suspicious/noThenProperty: a branch of $switch is written with `then`
const branching: Named = { object: 40062, unknown: 40063, known: ['case', 'then'], required: { case: 40064, then: 40065 } };

function compileSwitch(operand: unknown, compile: Compile): Expression {
  const { branches = [], default: otherwise } = namedArguments('$switch', operand, switching);
  if (!Array.isArray(branches)) throw location(40061, "$switch expected an array for 'branches'");
  if (branches.length === 0) throw location(40068, '$switch requires at least one branch');
  const compiled = branches.map((branch) => {
    const fields = namedArguments('$switch', branch, branching);
    return { test: compile(fields.case), result: compile(fields.then) };
  });
  const fallback = otherwise === undefined ? undefined : compile(otherwise);
  return (scope) => {
    for (const { test, result } of compiled) if (truthy(test(scope))) return result(scope);
    if (!fallback) throw location(40066, '$switch could not find a matching branch for an input, and no default was specified.');
    return fallback(scope);
  };
}

const letting: Named = { object: 16874, unknown: 16875, known: ['vars', 'in'], required: { vars: 16876, in: 16877 } };

function compileLet(operand: unknown, compile: Compile): Expression {
  const { vars, in: inner } = namedArguments('$let', operand, letting);
  if (!isDoc(vars)) throw location(10065, 'invalid parameter: expected an object (vars)');
  const bindings = Object.entries(vars).map(([name, value]) => {
    checkVariableName(name);
    return [name, compile(value)] as const;
  });
  const body = compile(inner);
  return (scope) => body(withVariables(scope, Object.fromEntries(bindings.map(([name, value]) => [name, value(scope)]))));
}
