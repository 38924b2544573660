import { type Doc, isDoc, isNumeric, typeNameOf } from '../bson/types.ts';
import { type CommandError, failure, location } from '../errors.ts';

/**
 * What a field of a command may hold: `bool` only a boolean, `flag` a number as well, `count` a number that is not negative,
 * `hint` a name or a key. `any` is checked where it is read.
 */
export type FieldType = 'any' | 'bool' | 'flag' | 'number' | 'count' | 'long' | 'string' | 'object' | 'array' | 'hint';
export type Fields = Readonly<Record<string, FieldType>>;

/** Fields that any command may carry. */
const generic: Fields = {
  ...{ $db: 'string', lsid: 'object', txnNumber: 'long', $clusterTime: 'object', $readPreference: 'object' },
  ...{ readConcern: 'object', writeConcern: 'object', comment: 'any', maxTimeMS: 'number' },
  ...{ apiVersion: 'string', apiStrict: 'bool', apiDeprecationErrors: 'bool' },
  ...{ $audit: 'any', $client: 'any', $configServerState: 'any', mayBypassWriteBlocking: 'any' },
};

/**
 * Refuses fields that the server does not know, because an option that is ignored would change results in silence, and
 * values of another type. Null stands for a field that is not given.
 */
export function checkFields(body: Doc, command: string, known: Fields): void {
  for (const name in body) {
    if (name === command) continue;
    const type = typeOf(known, name) ?? typeOf(generic, name);
    if (type === undefined) throw location(40415, `BSON field '${command}.${name}' is an unknown field.`);
    const value = body[name];
    if (value === null || type === 'any') continue;
    checkType(`${command}.${name}`, type, value);
  }
}

const typeOf = (fields: Fields, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);

/** Refuses a statement or command that lacks a field. */
export function requireFields(body: Doc, command: string, names: readonly string[]): void {
  for (const name of names) {
    if (body[name] === undefined || body[name] === null)
      throw location(40414, `BSON field '${command}.${name}' is missing but a required field`);
  }
}

const expected = {
  bool: "type 'bool'",
  flag: "types '[bool, long, int, decimal, double]'",
  number: "types '[long, int, decimal, double]'",
  count: "types '[long, int, decimal, double]'",
  long: "type 'long'",
  string: "type 'string'",
  object: "type 'object'",
  array: "type 'array'",
} as const;

function checkType(field: string, type: Exclude<FieldType, 'any'>, value: unknown): void {
  if (type === 'hint') {
    if (typeof value !== 'string' && !isDoc(value)) throw failure('FailedToParse', 'Hint must be a string or an object');
    checkNaturalHint(value);
    return;
  }
  if (!holds(type, value)) throw wrongType(field, value, expected[type]);
  if (type === 'count' && Number(value) < 0)
    throw location(51024, `BSON field '${field.split('.').at(-1)}' value must be >= 0, actual value '${String(value)}'`);
}

function checkNaturalHint(hint: unknown): void {
  if (!isDoc(hint) || !('$natural' in hint)) return;
  const direction = isNumeric(hint.$natural) ? Number(hint.$natural) : 0;
  if (Object.keys(hint).length > 1 || (direction !== 1 && direction !== -1))
    throw failure('BadValue', '$natural hint cannot be mixed with fields or set to a value other than -1 or 1.');
}

function holds(type: keyof typeof expected, value: unknown): boolean {
  switch (type) {
    case 'bool':
      return typeof value === 'boolean';
    case 'flag':
      return typeof value === 'boolean' || isNumeric(value);
    case 'number':
    case 'count':
      return isNumeric(value);
    case 'long':
      return typeof value === 'bigint';
    case 'string':
      return typeof value === 'string';
    case 'object':
      return isDoc(value);
    default:
      return Array.isArray(value);
  }
}

export const wrongType = (field: string, value: unknown, expectation: string): CommandError =>
  failure('TypeMismatch', `BSON field '${field}' is the wrong type '${typeNameOf(value)}', expected ${expectation}`);
