import { compareValues } from '../bson/compare.ts';
import { isDoc, isNullish, isNumeric } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { sortFields } from '../query/sort.ts';
import { encodeValue } from '../storage/index-key.ts';
import { type Named, namedArguments } from './arguments.ts';
import { compileExpression } from './expression.ts';
import { averageOf, extreme, sumOf } from './operators-math.ts';
import type { Expression, Scope, Variables } from './scope.ts';
import { checkVariables } from './variables.ts';

/** Collects one value over the documents of a group. */
export type Accumulator = { add: (scope: Scope) => void; result: () => unknown };

type Finish = (values: unknown[]) => unknown;

const finishers: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ['$avg', averageOf],
  ['$push', (values) => values.filter((value) => value !== undefined)],
  [
    '$addToSet',
    (values) => [
      ...new Map(
        values.filter((value) => value !== undefined).map((value) => [encodeValue(value).toString('latin1'), value]),
      ).values(),
    ],
  ],
  ['$mergeObjects', (values) => Object.assign({}, ...values.filter(isDoc))],
]);

/** Compiles an accumulator of `$group`; each call of the result starts a new group. */
export function compileAccumulator(field: string, spec: unknown, variables: Variables): () => Accumulator {
  const [name = '', ...others] = isDoc(spec) ? Object.keys(spec) : [];
  if (!isDoc(spec) || !name.startsWith('$')) throw location(40234, `The field '${field}' must be an accumulator object`);
  if (field.includes('.')) throw location(40235, `The field name '${field}' cannot contain '.'`);
  if (field.startsWith('$')) throw location(40236, `The field name '${field}' cannot be an operator name`);
  if (others.length > 0) throw location(40238, `The field '${field}' must specify one accumulator`);
  const operand = spec[name];
  checkVariables(operand, variables);
  const many = compileSeveral(name, operand);
  if (many) return many;
  if (name === '$count') {
    if (!isDoc(operand) || Object.keys(operand).length > 0)
      throw failure('TypeMismatch', '$count takes no arguments, i.e. $count:{}');
    return () =>
      running(
        () => 1,
        0,
        (sum, value) => sumOf([sum, value]),
      );
  }
  if (Array.isArray(operand)) throw location(40237, `The ${name} accumulator is a unary operator`);
  const start = starterOf(name);
  const expression = compileExpression(operand);
  return () => start(expression);
}

function starterOf(name: string): (expression: Expression) => Accumulator {
  switch (name) {
    case '$sum':
      return (expression) => running(expression, 0, (sum, value) => sumOf([sum, value]));
    case '$min':
      return (expression) => running(expression, null, (best, value) => extreme([best, value], -1));
    case '$max':
      return (expression) => running(expression, null, (best, value) => extreme([best, value], 1));
    case '$first':
      return (expression) => running(expression, unset, (first, value) => (first === unset ? (value ?? null) : first));
    case '$last':
      return (expression) => running(expression, null, (_, value) => value ?? null);
    default: {
      const finish = finishers.get(name);
      if (!finish) throw location(15952, `unknown group operator '${name}'`);
      return (expression) => {
        const values: unknown[] = [];
        return { add: (scope) => values.push(expression(scope)), result: () => finish(values) };
      };
    }
  }
}

const unset = Symbol('no value yet');

function running(expression: Expression, initial: unknown, step: (current: unknown, value: unknown) => unknown): Accumulator {
  let current = initial;
  return {
    add: (scope) => {
      current = step(current, expression(scope));
    },
    result: () => (current === unset ? null : current),
  };
}

const ofInput: Named = { object: 5787900, unknown: 5787901, known: ['n', 'input'], required: { n: 5787906, input: 5787907 } };
const ofOrder: Named = {
  ...{ object: 5788001, unknown: 5788002, known: ['n', 'output', 'sortBy'] },
  required: { n: 5788003, output: 5788004, sortBy: 5788005 },
};
const ofOne: Named = { ...ofOrder, known: ['output', 'sortBy'], required: { output: 5788004, sortBy: 5788005 } };

const several = new Map<string, Named>([
  ['$top', ofOne],
  ['$bottom', ofOne],
  ['$topN', ofOrder],
  ['$bottomN', ofOrder],
  ['$firstN', ofInput],
  ['$lastN', ofInput],
  ['$minN', ofInput],
  ['$maxN', ofInput],
]);

/** Accumulators that keep documents and choose among them at the end; undefined if the name is none of them. */
function compileSeveral(name: string, operand: unknown): (() => Accumulator) | undefined {
  const spec = several.get(name);
  if (!spec) return undefined;
  const given = namedArguments(name, operand, spec);
  const output = compileExpression('output' in given ? given.output : given.input);
  if ('sortBy' in given && !isDoc(given.sortBy)) throw location(10065, 'invalid parameter: expected an object (sortBy)');
  const keys: Array<[Expression, number]> = isDoc(given.sortBy)
    ? sortFields(given.sortBy).map(({ path, direction }) => [compileExpression(`$${path}`), direction])
    : [];
  const count = compileExpression(given.n ?? 1);
  return () => {
    const rows: Row[] = [];
    let kept: number | undefined;
    return {
      add: (scope) => {
        // `n` may look at the group's `_id` only, which is the same for all its documents.
        kept ??= countOf(count(scope));
        rows.push({ value: output(scope) ?? null, by: keys.map(([key]) => key(scope)) });
      },
      result: () => {
        const ordered = order(name, rows, keys);
        const fromEnd = name.startsWith('$bottom') || name === '$lastN';
        const values = (fromEnd ? ordered.slice(-(kept ?? 1)) : ordered.slice(0, kept)).map((row) => row.value);
        return name === '$top' || name === '$bottom' ? (values[0] ?? null) : values;
      },
    };
  };
}

type Row = { value: unknown; by: unknown[] };

function countOf(value: unknown): number {
  const count = isNumeric(value) ? Number(value) : Number.NaN;
  if (!Number.isInteger(count)) throw location(5787902, `Value for 'n' must be of integral type, but found ${String(value)}`);
  if (count < 1) throw location(5787908, `'n' must be greater than 0, found ${count}`);
  return count;
}

function order(name: string, rows: readonly Row[], keys: Array<[Expression, number]>) {
  if (name === '$minN' || name === '$maxN') {
    const sign = name === '$minN' ? 1 : -1;
    return rows.filter((row) => !isNullish(row.value)).sort((a, b) => compareValues(a.value, b.value) * sign);
  }
  return [...rows].sort((a, b) => {
    for (const [at, [, direction]] of keys.entries()) {
      const result = compareValues(a.by[at], b.by[at]) * direction;
      if (result !== 0) return result;
    }
    return 0;
  });
}
