import { Long } from 'bson';
import { MongoClient } from 'mongodb';
import type { Entities, Json } from './runner.ts';

/** Compares a result with an expectation of the unified test format; throws where they differ. */
export function matches(given: unknown, expected: unknown, entities: Entities, path: string, root = true): void {
  // The driver sends a sort as a Map.
  const actual = given instanceof Map ? Object.fromEntries(given) : given;
  if (isPlain(expected)) {
    const [operator] = Object.keys(expected);
    if (operator?.startsWith('$$')) {
      matchSpecial(actual, operator, expected[operator], entities, path, root);
      return;
    }
    if (!isPlain(actual)) throw differ(actual, expected, path);
    for (const [name, wanted] of Object.entries(expected)) {
      const special = isPlain(wanted) ? Object.keys(wanted)[0] : undefined;
      if (special === '$$exists' || special === '$$unsetOrMatches')
        matchSpecial(actual[name], special, (wanted as Json)[special], entities, `${path}.${name}`, false);
      else {
        if (!(name in actual)) throw new Error(`${path}.${name} is missing`);
        matches(actual[name], wanted, entities, `${path}.${name}`, false);
      }
    }
    if (!root) {
      for (const name of Object.keys(actual))
        if (!(name in expected) && actual[name] !== undefined) throw new Error(`${path}.${name} is unexpected`);
    }
    return;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) throw differ(actual, expected, path);
    // Documents of a list at the root, such as found ones, may have no further fields.
    for (const [at, wanted] of expected.entries()) matches(actual[at], wanted, entities, `${path}[${at}]`, false);
    return;
  }
  if (scalar(actual) !== scalar(expected)) throw differ(actual, expected, path);
}

function matchSpecial(
  actual: unknown,
  operator: string,
  operand: unknown,
  entities: Entities,
  path: string,
  root: boolean,
): void {
  switch (operator) {
    case '$$exists':
      if ((actual !== undefined) !== operand) throw new Error(`${path} should ${operand ? '' : 'not '}exist`);
      return;
    case '$$unsetOrMatches':
      if (actual !== undefined && actual !== null) matches(actual, operand, entities, path, root);
      return;
    case '$$type':
      return;
    case '$$matchesEntity':
      matches(actual, entities.get(String(operand)), entities, path, root);
      return;
    case '$$sessionLsid':
      return;
    case '$$lte':
      if (Number(actual) > Number(operand)) throw differ(actual, operand, path);
      return;
    default:
      throw new Error(`${operator} is not known to the runner`);
  }
}

const isPlain = (value: unknown): value is Json =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !('_bsontype' in value) &&
  !(value instanceof Date) &&
  !(value instanceof MongoClient);

function scalar(value: unknown): unknown {
  if (Long.isLong(value)) return value.toNumber();
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value;
}

const differ = (actual: unknown, expected: unknown, path: string) =>
  new Error(`${path}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
