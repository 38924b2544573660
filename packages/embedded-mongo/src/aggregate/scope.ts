import { Decimal128, Double } from 'bson';
import { compareValues } from '../bson/compare.ts';
import { isNullish } from '../bson/types.ts';

/** Values of `$$name`, without the dollars; `NOW` is one of them. */
export type Variables = { readonly [name: string]: unknown };
export type Scope = { root: unknown; current: unknown; variables: Variables };
/** A compiled expression; undefined means that the value is missing. */
export type Expression = (scope: Scope) => unknown;

/** Compiles an operand. */
export type Compile = (expression: unknown) => Expression;

export const withVariables = (scope: Scope, more: Variables): Scope => ({
  ...scope,
  variables: { ...scope.variables, ...more },
});

/** Truth as expressions see it: false, zero, null and missing are false. */
export function truthy(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return value !== 0 && value !== 0n;
  if (value instanceof Double) return value.value !== 0;
  if (value instanceof Decimal128) return compareValues(value, 0) !== 0;
  return !isNullish(value);
}

/** An operator that gets all its operands evaluated. */
export type Operator = { min: number; max: number; run: (args: unknown[]) => unknown };
