import { compareValues } from '../bson/compare.ts';
import { type Doc, isDoc, isNullish } from '../bson/types.ts';
import { location } from '../errors.ts';
import { encodeValue } from '../storage/index-key.ts';
import { compileExpression } from './expression.ts';
import { averageOf, extreme, sumOf } from './operators-math.ts';
import type { Expression, Scope } from './scope.ts';

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
export function compileAccumulator(field: string, spec: unknown): () => Accumulator {
  const [name = ''] = isDoc(spec) ? Object.keys(spec) : [];
  if (!isDoc(spec) || !name.startsWith('$')) throw location(40234, `The field '${field}' must be an accumulator object`);
  if (name === '$count') return () => running({ $literal: 1 }, 0, (sum, value) => sumOf([sum, value]));
  const operand = spec[name];
  switch (name) {
    case '$sum':
      return () => running(operand, 0, (sum, value) => sumOf([sum, value]));
    case '$min':
      return () => running(operand, null, (best, value) => extreme([best, value], -1));
    case '$max':
      return () => running(operand, null, (best, value) => extreme([best, value], 1));
    case '$first':
      return () => running(operand, unset, (first, value) => (first === unset ? (value ?? null) : first));
    case '$last':
      return () => running(operand, null, (_, value) => value ?? null);
    case '$top':
    case '$bottom':
    case '$topN':
    case '$bottomN':
    case '$firstN':
    case '$lastN':
    case '$minN':
    case '$maxN':
      return () => several(name, operand);
    default: {
      const finish = finishers.get(name);
      if (!finish) throw location(15952, `unknown group operator '${name}'`);
      const expression = compileExpression(operand);
      return () => {
        const values: unknown[] = [];
        return { add: (scope) => values.push(expression(scope)), result: () => finish(values) };
      };
    }
  }
}

const unset = Symbol('no value yet');

function running(operand: unknown, initial: unknown, step: (current: unknown, value: unknown) => unknown): Accumulator {
  const expression = compileExpression(operand);
  let current = initial;
  return {
    add: (scope) => {
      current = step(current, expression(scope));
    },
    result: () => (current === unset ? null : current),
  };
}

function several(name: string, operand: unknown): Accumulator {
  if (!isDoc(operand)) throw location(5788001, `specification must be an object; found ${name}`);
  const output = compileExpression('output' in operand ? operand.output : operand.input);
  const keys: Array<[Expression, number]> = isDoc(operand.sortBy)
    ? Object.entries(operand.sortBy as Doc).map(([path, direction]) => [compileExpression(`$${path}`), Number(direction)])
    : [];
  const count = operand.n === undefined ? 1 : Number(operand.n);
  const rows: Array<{ value: unknown; by: unknown[] }> = [];
  return {
    add: (scope) => rows.push({ value: output(scope) ?? null, by: keys.map(([key]) => key(scope)) }),
    result: () => {
      const ordered = order(name, rows, keys);
      const fromEnd = name.startsWith('$bottom') || name === '$lastN';
      const taken = fromEnd ? ordered.slice(-count) : ordered.slice(0, count);
      const values = taken.map((row) => row.value);
      return name === '$top' || name === '$bottom' ? (values[0] ?? null) : values;
    },
  };
}

function order(name: string, rows: Array<{ value: unknown; by: unknown[] }>, keys: Array<[Expression, number]>) {
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
