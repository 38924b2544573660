import { type Doc, isDoc, isNullish, isNumeric, typeNameOf } from '../bson/types.ts';
import { CommandError, errorCodes, failure } from '../errors.ts';
import { converters } from './operators-convert.ts';
import type { Expression } from './scope.ts';

const namesByNumber = new Map([
  [1, 'double'],
  [2, 'string'],
  [7, 'objectId'],
  [8, 'bool'],
  [9, 'date'],
  [16, 'int'],
  [18, 'long'],
  [19, 'decimal'],
]);

/** `$convert`: to a type named or numbered, with what to answer instead of null and of a failed conversion. */
export function compileConvert(operand: unknown, compile: (expression: unknown) => Expression): Expression {
  if (!isDoc(operand))
    throw failure('FailedToParse', `$convert expects an object of named arguments but found: ${typeNameOf(operand)}`);
  const known = ['input', 'to', 'onError', 'onNull'];
  for (const name of Object.keys(operand)) {
    if (!known.includes(name)) throw failure('FailedToParse', `$convert found an unknown argument: ${name}`);
  }
  const [input, to, onError, onNull] = known.map((name) => (name in operand ? compile((operand as Doc)[name]) : undefined));
  if (!input) throw failure('FailedToParse', "Missing 'input' parameter to $convert");
  if (!to) throw failure('FailedToParse', "Missing 'to' parameter to $convert");
  return (scope) => {
    const target = to(scope);
    const value = input(scope);
    if (isNullish(value)) return onNull ? onNull(scope) : null;
    if (isNullish(target)) return null;
    const convert = converterOf(target);
    try {
      return convert(value);
    } catch (error) {
      if (onError && error instanceof CommandError && error.code === errorCodes.ConversionFailure) return onError(scope);
      throw error;
    }
  };
}

function converterOf(target: unknown): (value: unknown) => unknown {
  const name = isNumeric(target) ? namesByNumber.get(Number(target)) : target;
  if (typeof name !== 'string') throw failure('FailedToParse', "$convert's 'to' argument must be a string or number");
  const convert = converters.get(name);
  if (!convert) throw failure('BadValue', `Unknown type name: ${name}`);
  return convert;
}
