import { type Doc, isDoc, isNullish } from '../bson/types.ts';
import { location } from '../errors.ts';
import { setField } from '../query/path.ts';
import { type Named, namedArguments } from './arguments.ts';
import type { Compile, Expression } from './scope.ts';

const getting: Named = {
  ...{ object: 3041700, unknown: 3041701, known: ['field', 'input'], required: { field: 3041702, input: 3041703 } },
};
const setting: Named = {
  ...{ object: 4161100, unknown: 4161101, known: ['field', 'input', 'value'] },
  required: { field: 4161102, value: 4161103, input: 4161109 },
};
const unsetting: Named = { ...setting, known: ['field', 'input'], required: { field: 4161102, input: 4161109 } };

/** `$getField`. */
export function compileGetField(operand: unknown, compile: Compile): Expression {
  const isNamed = isDoc(operand) && Object.keys(operand)[0]?.startsWith('$') !== true;
  const fields: Doc = isNamed ? namedArguments('$getField', operand, getting) : { field: operand, input: '$$CURRENT' };
  const { field } = fields;
  if (typeof field !== 'string' && !isDoc(field))
    throw location(5654602, "$getField requires 'field' to evaluate to a constant string");
  const name = compile(field);
  const input = compile(fields.input);
  return (scope) => {
    const source = input(scope);
    const key = name(scope);
    if (typeof key !== 'string') throw location(5654602, '$getField requires the field to be a string');
    if (isNullish(source)) return source;
    return isDoc(source) && Object.hasOwn(source, key) ? source[key] : undefined;
  };
}

/** `$setField`. */
export function compileSetField(operand: unknown, compile: Compile): Expression {
  const fields = namedArguments('$setField', operand, setting);
  const { field } = fields;
  if (typeof field === 'string' ? field.startsWith('$') : !isDoc(field))
    throw location(4161106, "$setField requires 'field' to evaluate to a constant string");
  const name = compile(field);
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

/** `$unsetField`. */
export const compileUnsetField = (operand: unknown, compile: Compile): Expression =>
  compileSetField({ ...namedArguments('$unsetField', operand, unsetting), value: '$$REMOVE' }, compile);
