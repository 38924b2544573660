import { compareValues } from '../bson/compare.ts';
import { type Doc, isDoc, isNullish } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { setField } from '../query/path.ts';
import { compileConvert } from './convert.ts';
import { type Expression, type Scope, truthy } from './scope.ts';

type Compile = (expression: unknown) => Expression;

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
  [
    '$unsetField',
    (operand: unknown, compile: Compile) => compileSetField({ ...fieldsOf(operand, '$unsetField'), value: '$$REMOVE' }, compile),
  ],
  ['$sortArray', compileSortArray],
  ['$convert', compileConvert],
]);

const list = (operand: unknown): unknown[] => (Array.isArray(operand) ? operand : [operand]);

function fieldsOf(operand: unknown, name: string, allowed?: readonly string[]): Doc {
  if (!isDoc(operand)) throw failure('FailedToParse', `${name} requires an object as an argument`);
  for (const field of Object.keys(operand)) {
    if (allowed && !allowed.includes(field)) throw failure('FailedToParse', `Unrecognized parameter to ${name}: ${field}`);
  }
  return operand;
}

function compileCond(operand: unknown, compile: Compile): Expression {
  let parts = operand;
  if (isDoc(operand)) {
    const { if: test, then, else: otherwise } = fieldsOf(operand, '$cond', ['if', 'then', 'else']);
    if (test === undefined) throw location(17080, "Missing 'if' parameter to $cond");
    if (then === undefined) throw location(17081, "Missing 'then' parameter to $cond");
    if (otherwise === undefined) throw location(17082, "Missing 'else' parameter to $cond");
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

function compileSwitch(operand: unknown, compile: Compile): Expression {
  const { branches, default: otherwise } = fieldsOf(operand, '$switch', ['branches', 'default']);
  if (!Array.isArray(branches) || branches.length === 0) throw location(40068, '$switch requires at least one branch');
  const compiled = branches.map((branch) => {
    const fields = fieldsOf(branch, '$switch', ['case', 'then']);
    return { test: compile(fields.case), result: compile(fields.then) };
  });
  const fallback = otherwise === undefined ? undefined : compile(otherwise);
  return (scope) => {
    for (const { test, result } of compiled) if (truthy(test(scope))) return result(scope);
    if (!fallback) throw location(40066, '$switch could not find a matching branch for an input, and no default was specified.');
    return fallback(scope);
  };
}

const withVariables = (scope: Scope, more: Doc): Scope => ({ ...scope, variables: { ...scope.variables, ...more } });

function compileLet(operand: unknown, compile: Compile): Expression {
  const { vars, in: inner } = fieldsOf(operand, '$let', ['vars', 'in']);
  const bindings = Object.entries(fieldsOf(vars, '$let')).map(([name, value]) => [name, compile(value)] as const);
  const body = compile(inner);
  return (scope) => body(withVariables(scope, Object.fromEntries(bindings.map(([name, value]) => [name, value(scope)]))));
}

const nameOr = (name: unknown, fallback: string) => (typeof name === 'string' ? name : fallback);

function compileMap(operand: unknown, compile: Compile): Expression {
  const fields = fieldsOf(operand, '$map', ['input', 'as', 'in']);
  const input = compile(fields.input);
  const name = nameOr(fields.as, 'this');
  const body = compile(fields.in);
  return (scope) => {
    const items = input(scope);
    if (isNullish(items)) return null;
    if (!Array.isArray(items)) throw location(16883, 'input to $map must be an array');
    return items.map((item) => body(withVariables(scope, { [name]: item })) ?? null);
  };
}

function compileFilterItems(operand: unknown, compile: Compile): Expression {
  const fields = fieldsOf(operand, '$filter', ['input', 'as', 'cond', 'limit']);
  const input = compile(fields.input);
  const name = nameOr(fields.as, 'this');
  const test = compile(fields.cond);
  const limit = fields.limit === undefined ? undefined : compile(fields.limit);
  return (scope) => {
    const items = input(scope);
    if (isNullish(items)) return null;
    if (!Array.isArray(items)) throw location(28651, 'input to $filter must be an array');
    const kept = items.filter((item) => truthy(test(withVariables(scope, { [name]: item }))));
    const count = limit?.(scope);
    return isNullish(count) ? kept : kept.slice(0, Number(count));
  };
}

function compileReduce(operand: unknown, compile: Compile): Expression {
  const fields = fieldsOf(operand, '$reduce', ['input', 'initialValue', 'in']);
  const input = compile(fields.input);
  const initial = compile(fields.initialValue);
  const body = compile(fields.in);
  return (scope) => {
    const items = input(scope);
    if (isNullish(items)) return null;
    if (!Array.isArray(items)) throw location(40080, '$reduce requires that input be an array');
    return items.reduce((value: unknown, item) => body(withVariables(scope, { this: item, value })), initial(scope));
  };
}

function compileGetField(operand: unknown, compile: Compile): Expression {
  const fields =
    isDoc(operand) && Object.hasOwn(operand, 'field') ? fieldsOf(operand, '$getField', ['field', 'input']) : { field: operand };
  const { field } = fields;
  const name = typeof field === 'string' ? () => field : compile(field);
  const input = compile('input' in fields ? fields.input : '$$CURRENT');
  return (scope) => {
    const source = input(scope);
    const key = name(scope);
    if (typeof key !== 'string') throw location(5654602, '$getField requires the field to be a string');
    if (isNullish(source)) return source;
    return isDoc(source) && Object.hasOwn(source, key) ? source[key] : undefined;
  };
}

function compileSetField(operand: unknown, compile: Compile): Expression {
  const fields = fieldsOf(operand, '$setField', ['field', 'input', 'value']);
  const name = compile(isDoc(fields.field) ? fields.field : { $literal: fields.field });
  const input = compile(fields.input);
  const value = compile(fields.value);
  return (scope) => {
    const source = input(scope);
    const key = name(scope);
    if (isNullish(source)) return null;
    if (!isDoc(source) || typeof key !== 'string')
      throw location(4161105, '$setField requires an object and a constant field name');
    const copy = { ...source };
    const result = value(scope);
    if (result === undefined) delete copy[key];
    else setField(copy, key, result);
    return copy;
  };
}

function compileSortArray(operand: unknown, compile: Compile): Expression {
  const fields = fieldsOf(operand, '$sortArray', ['input', 'sortBy']);
  const input = compile(fields.input);
  const by = fields.sortBy;
  const keys = isDoc(by)
    ? Object.entries(by).map(([path, direction]) => ({ value: compile(`$${path}`), direction: Number(direction) }))
    : [];
  return (scope) => {
    const items = input(scope);
    if (isNullish(items)) return null;
    if (!Array.isArray(items)) throw location(2942504, 'The input argument to $sortArray must be an array');
    if (!isDoc(by)) return [...items].sort((a, b) => compareValues(a, b) * Number(by));
    return [...items].sort((a, b) => {
      for (const { value, direction } of keys) {
        const order = compareValues(value({ ...scope, current: a }), value({ ...scope, current: b }));
        if (order !== 0) return order * direction;
      }
      return 0;
    });
  };
}
