import { Binary, Decimal128, Double, ObjectId } from 'bson';
import { Context, computeValue, ProcessingMode } from 'mingo/core';
import * as expressionOperators from 'mingo/operators/expression';
import type { Options } from 'mingo/types';
import { type Doc, isDoc } from '../bson/types.ts';
import { failure } from '../errors.ts';
import { checkArguments } from './arguments.ts';
import type { Expression } from './scope.ts';

/**
 * Operators whose results don't depend on the exact type of a number are evaluated by mingo: strings, dates and
 * trigonometry. Their operands are evaluated here, so paths, variables and money never pass through it.
 */
const names = new Set(
  `$toLower $toUpper $trim $ltrim $rtrim $split $strLenBytes $strLenCP $strcasecmp $substr $substrBytes $substrCP
  $indexOfBytes $indexOfCP $replaceOne $replaceAll $regexFind $regexFindAll $regexMatch
  $year $month $week $dayOfYear $dayOfMonth $dayOfWeek $hour $minute $second $millisecond $isoWeek $isoWeekYear $isoDayOfWeek
  $dateAdd $dateSubtract $dateDiff $dateTrunc $dateToString $dateToParts $dateFromParts $dateFromString
  $sin $cos $tan $asin $acos $atan $atan2 $sinh $cosh $tanh $asinh $acosh $atanh $degreesToRadians $radiansToDegrees
  $exp $ln $log $log10 $pow $sqrt $zip`.split(/\s+/),
);

const options: Options = {
  idKey: '_id',
  processingMode: ProcessingMode.CLONE_OFF,
  useStrictMode: true,
  failOnError: true,
  context: Context.init({ expression: { ...expressionOperators } }),
  scriptEnabled: false,
};

/** Whether mingo evaluates an operator of this name. */
export const isBorrowed = (name: string): boolean => names.has(name);

/** Compiles one of these operators; undefined if the name is none of them. */
export function borrowed(name: string, operand: unknown, compile: (expression: unknown) => Expression): Expression | undefined {
  if (!names.has(name)) return undefined;
  checkArguments(name, operand);
  if (isDoc(operand) && !Object.keys(operand)[0]?.startsWith('$')) {
    const fields = Object.entries(operand).map(([field, value]) => [field, compile(value)] as const);
    return (scope) => run(name, Object.fromEntries(fields.map(([field, value]) => [field, literal(value(scope))])));
  }
  if (Array.isArray(operand)) {
    const items = operand.map(compile);
    return (scope) =>
      run(
        name,
        items.map((item) => literal(item(scope))),
      );
  }
  const single = compile(operand);
  return (scope) => run(name, literal(single(scope)));
}

function run(name: string, operand: unknown): unknown {
  try {
    return computeValue({}, operand as Doc, name, options);
  } catch (error) {
    throw failure('BadValue', `${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function literal(value: unknown): unknown {
  return { $literal: plain(value) };
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Double) return value.value;
  if (value instanceof Decimal128) return Number(value.toString());
  if (value instanceof ObjectId || value instanceof Binary) return value.toString();
  return value ?? null;
}
