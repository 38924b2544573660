import { Double, EJSON, Int32, Long, ObjectId } from 'bson';
import type { World } from './entities.ts';
import type { Json } from './file.ts';

/** Compares a result with an expectation of the unified test format; throws where they differ. */
export function matches(given: unknown, expected: unknown, world: World, path: string, root = true): void {
  // The driver sends a sort as a Map.
  const actual = given instanceof Map ? Object.fromEntries(given) : given;
  if (isPlain(expected)) {
    const [operator] = Object.keys(expected);
    if (operator?.startsWith('$$')) matchSpecial(actual, operator, expected[operator], world, path, root);
    else matchFields(actual, expected, world, path, root);
    return;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) throw differ(actual, expected, path);
    // Documents of a list at the root, such as found ones, may have further fields as one at the root may.
    for (const [at, wanted] of expected.entries()) matches(actual[at], wanted, world, `${path}[${at}]`, root);
    return;
  }
  if (scalar(actual) !== scalar(expected)) throw differ(actual, expected, path);
}

function matchFields(actual: unknown, expected: Json, world: World, path: string, root: boolean): void {
  if (!isPlain(actual)) throw differ(actual, expected, path);
  for (const [name, wanted] of Object.entries(expected)) {
    const special = isPlain(wanted) ? Object.keys(wanted)[0] : undefined;
    if (special === '$$exists' || special === '$$unsetOrMatches') {
      matchSpecial(actual[name], special, (wanted as Json)[special], world, `${path}.${name}`, false);
      continue;
    }
    if (!(name in actual)) throw new Error(`${path}.${name} is missing`);
    matches(actual[name], wanted, world, `${path}.${name}`, false);
  }
  if (root) return;
  for (const name of Object.keys(actual)) {
    if (!(name in expected) && actual[name] !== undefined) throw new Error(`${path}.${name} is unexpected`);
  }
}

type Special = (actual: unknown, operand: unknown, world: World, path: string, root: boolean) => void;

function matchSpecial(actual: unknown, operator: string, operand: unknown, world: World, path: string, root: boolean): void {
  const special = specials[operator];
  if (!special) throw new Error(`${operator} is not known to the runner`);
  special(actual, operand, world, path, root);
}

const specials: Record<string, Special> = {
  $$exists: (actual, operand, _world, path) => {
    if ((actual !== undefined) !== operand) throw new Error(`${path} should ${operand ? '' : 'not '}exist`);
  },
  $$unsetOrMatches: (actual, operand, world, path, root) => {
    if (actual !== undefined && actual !== null) matches(actual, operand, world, path, root);
  },
  $$type: (actual, operand, _world, path) => {
    const names = Array.isArray(operand) ? operand.map(String) : [String(operand)];
    if (!names.some((name) => types[name]?.(actual))) throw differ(actual, `type ${names.join(' or ')}`, path);
  },
  $$matchesEntity: (actual, operand, world, path, root) => {
    if (!world.entities.has(String(operand))) throw new Error(`${path}: entity ${String(operand)} is not there`);
    matches(actual, world.entities.get(String(operand)), world, path, root);
  },
  $$sessionLsid: (actual, operand, world, path, root) => matches(actual, world.session(operand).id, world, path, root),
  $$matchesHexBytes: (actual, operand, _world, path) => {
    if (!(actual instanceof Uint8Array) || Buffer.from(actual).toString('hex') !== operand) throw differ(actual, operand, path);
  },
  $$lte: (actual, operand, _world, path) => {
    if (!(Number(actual) <= Number(operand))) throw differ(actual, operand, path);
  },
  $$matchAsDocument: (actual, operand, world, path) => {
    matches(EJSON.parse(String(actual), { relaxed: true }), operand, world, path, false);
  },
  $$matchAsRoot: (actual, operand, world, path) => matches(actual, operand, world, path, true),
};

const isInteger = (value: unknown) => typeof value === 'number' && Number.isInteger(value);
const bsonType = (value: unknown) =>
  typeof value === 'object' && value !== null && '_bsontype' in value ? value._bsontype : undefined;

/** Numbers come as JavaScript's, so that a whole one may have been of any of three types. */
const types: Record<string, (value: unknown) => boolean> = {
  double: (value) => typeof value === 'number' || value instanceof Double,
  string: (value) => typeof value === 'string',
  object: (value) => isPlain(value) || value instanceof Map,
  array: Array.isArray,
  binData: (value) => value instanceof Uint8Array || bsonType(value) === 'Binary',
  undefined: (value) => value === undefined,
  objectId: (value) => value instanceof ObjectId || bsonType(value) === 'ObjectId',
  bool: (value) => typeof value === 'boolean',
  date: (value) => value instanceof Date,
  null: (value) => value === null,
  regex: (value) => value instanceof RegExp || bsonType(value) === 'BSONRegExp',
  int: (value) => isInteger(value) || value instanceof Int32,
  long: (value) => isInteger(value) || typeof value === 'bigint' || Long.isLong(value),
  number: (value) =>
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    Long.isLong(value) ||
    /^(Int32|Double|Decimal128)$/.test(String(bsonType(value))),
  decimal: (value) => bsonType(value) === 'Decimal128',
  timestamp: (value) => bsonType(value) === 'Timestamp',
  minKey: (value) => bsonType(value) === 'MinKey',
  maxKey: (value) => bsonType(value) === 'MaxKey',
};

const isPlain = (value: unknown): value is Json =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !('_bsontype' in value) &&
  !(value instanceof Date) &&
  !(value instanceof Uint8Array) &&
  !(value instanceof RegExp);

function scalar(value: unknown): unknown {
  if (Long.isLong(value)) return value.toNumber();
  if (value instanceof Int32 || value instanceof Double) return value.value;
  if (typeof value === 'object' && value !== null) return EJSON.stringify(value);
  return value;
}

const differ = (actual: unknown, expected: unknown, path: string) =>
  new Error(`${path}: ${EJSON.stringify(actual ?? null)}, expected ${EJSON.stringify(expected ?? null)}`);
