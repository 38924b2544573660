import { compareValues } from '../bson/compare.ts';
import { type Doc, isDoc, isInt32, isNullish, isNumeric } from '../bson/types.ts';
import { location } from '../errors.ts';
import { sortFields } from '../query/sort.ts';
import { type Named, namedArguments } from './arguments.ts';
import { type Compile, type Expression, truthy, withVariables } from './scope.ts';
import { checkVariableName } from './variables.ts';

/** The name that an operator gives to the element it looks at. */
function elementName(fields: Doc): string {
  if (!('as' in fields)) return 'this';
  const name = typeof fields.as === 'string' ? fields.as : '';
  checkVariableName(name);
  return name;
}

const mapping: Named = { object: 16878, unknown: 16879, known: ['input', 'as', 'in'], required: { input: 16880, in: 16882 } };
const filtering: Named = {
  ...{ object: 28646, unknown: 28647, known: ['input', 'as', 'cond', 'limit'], required: { input: 28648, cond: 28650 } },
};
const reducing: Named = {
  ...{ object: 40075, unknown: 40076, known: ['input', 'initialValue', 'in'] },
  required: { input: 40077, initialValue: 40078, in: 40079 },
};

/** `$map`. */
export function compileMap(operand: unknown, compile: Compile): Expression {
  const fields = namedArguments('$map', operand, mapping);
  const input = compile(fields.input);
  const name = elementName(fields);
  const body = compile(fields.in);
  return (scope) => {
    const items = input(scope);
    if (isNullish(items)) return null;
    if (!Array.isArray(items)) throw location(16883, 'input to $map must be an array');
    return items.map((item) => body(withVariables(scope, { [name]: item })) ?? null);
  };
}

/** `$filter`. */
export function compileFilterItems(operand: unknown, compile: Compile): Expression {
  const fields = namedArguments('$filter', operand, filtering);
  const input = compile(fields.input);
  const name = elementName(fields);
  const test = compile(fields.cond);
  const limit = fields.limit === undefined ? undefined : compile(fields.limit);
  return (scope) => {
    const items = input(scope);
    if (isNullish(items)) return null;
    if (!Array.isArray(items)) throw location(28651, 'input to $filter must be an array');
    const kept = items.filter((item) => truthy(test(withVariables(scope, { [name]: item }))));
    const count = limit?.(scope);
    return isNullish(count) ? kept : kept.slice(0, limitOf(count));
  };
}

function limitOf(limit: unknown): number {
  if (!isNumeric(limit) || !isInt32(Number(limit)))
    throw location(327391, '$filter: limit must be represented as a 32-bit integral value');
  if (Number(limit) < 1) throw location(327392, '$filter: limit must be greater than 0');
  return Number(limit);
}

/** `$reduce`. */
export function compileReduce(operand: unknown, compile: Compile): Expression {
  const fields = namedArguments('$reduce', operand, reducing);
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

const sorting: Named = {
  ...{ object: 2942500, unknown: 2942501, known: ['input', 'sortBy'], required: { input: 2942502, sortBy: 2942503 } },
};

function checkSortBy(by: unknown): void {
  if (isDoc(by)) {
    if (Object.keys(by).length === 0) throw location(2942505, 'sortBy cannot be an empty object');
    sortFields(by);
  } else if (!isNumeric(by) || (Number(by) !== 1 && Number(by) !== -1))
    throw location(2942507, '$sortArray requires sortBy to be 1, -1 or a document of them');
}

/** `$sortArray`. */
export function compileSortArray(operand: unknown, compile: Compile): Expression {
  const fields = namedArguments('$sortArray', operand, sorting);
  checkSortBy(fields.sortBy);
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
