import { equalValues } from '../bson/compare.ts';
import { type Doc, isDoc, isNumeric, typeNameOf } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import type { IndexSpec } from '../storage/index.ts';
import { flag, refuseCollation } from './context.ts';
import { checkPartialFilter } from './partial-filter.ts';

const known = new Set(
  'v key name unique sparse hidden partialFilterExpression expireAfterSeconds background collation ns'.split(' '),
);
const ofIdIndex = new Set(['v', 'key', 'name', 'collation', 'ns']);
/** Kinds of index that the server has and this one does not. */
const otherKinds = new Set(['text', '2d', '2dsphere', 'hashed', 'wildcard']);
const fieldsMax = 32;
const secondsMax = 2 ** 31 - 1;

const cannot = (message: string) => failure('CannotCreateIndex', message);

/** Reads one index specification of `createIndexes`. Refuses what the server refuses and what this server lacks. */
export function readIndexSpec(given: unknown): IndexSpec {
  if (!isDoc(given))
    throw failure(
      'TypeMismatch',
      `BSON field 'createIndexes.indexes' is the wrong type '${typeNameOf(given)}', expected type 'object'`,
    );
  for (const option of Object.keys(given)) {
    if (!known.has(option)) throw notValid(`The field '${option}' is not valid for an index specification`);
  }
  refuseCollation(given);
  const { key, name, partialFilterExpression, expireAfterSeconds } = given;
  if (key === undefined) throw failure('FailedToParse', "The 'key' field is a required property of an index specification");
  if (!isDoc(key)) throw mustBe('key', 'an object', key);
  checkKey(key);
  checkName(name, key);
  checkFlags(given);
  checkVersion(given.v);
  if (isIdKey(key)) checkIdIndex(given, key);
  if (partialFilterExpression !== undefined) checkPartial(given, partialFilterExpression);
  if (expireAfterSeconds !== undefined) checkExpiry(key, expireAfterSeconds);
  return {
    v: 2,
    key,
    name: isIdKey(key) ? '_id_' : name,
    ...(flag(given, 'unique') && { unique: true }),
    ...(flag(given, 'sparse') && { sparse: true }),
    ...(given.hidden === true && { hidden: true }),
    ...(isDoc(partialFilterExpression) && { partialFilterExpression }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
  };
}

const notValid = (message: string) => failure('InvalidIndexSpecificationOption', `${message}, or not supported by this server`);
const mustBe = (field: string, kind: string, value: unknown) =>
  failure('TypeMismatch', `The field '${field}' must be ${kind}, but got ${typeNameOf(value)}`);

function checkKey(key: Doc): void {
  const entries = Object.entries(key);
  if (entries.length === 0) throw cannot('Index keys cannot be empty.');
  for (const [path, direction] of entries) {
    if (typeof direction === 'string' && otherKinds.has(direction))
      throw failure('NotImplemented', `indexes of type '${direction}' are not supported by this server`);
    if (typeof direction === 'string') throw cannot(`Unknown index plugin '${direction}'`);
    if (!isNumeric(direction))
      throw cannot(
        `Values in v:2 index key pattern cannot be of type ${typeNameOf(direction)}. Only numbers > 0, numbers < 0, and strings are allowed.`,
      );
    if (Number.isNaN(Number(direction))) throw cannot('Values in the index key pattern cannot be NaN.');
    if (Number(direction) === 0) throw cannot('Values in the index key pattern cannot be 0.');
    const parts = path.split('.');
    if (parts.includes('')) throw cannot('Index keys cannot contain an empty field.');
    if (path === '$**' || path.endsWith('.$**'))
      throw failure('NotImplemented', 'wildcard indexes are not supported by this server');
    if (parts.some((part) => part.startsWith('$')))
      throw cannot(`Index key contains an illegal field name: field name starts with '$': ${path}`);
  }
  if (entries.length > fieldsMax) throw location(13103, 'too many compound keys');
}

function checkName(name: unknown, key: Doc): asserts name is string {
  if (name === undefined) throw failure('FailedToParse', "The 'name' field is a required property of an index specification");
  if (typeof name !== 'string') throw mustBe('name', 'a string', name);
  if (name === '') throw cannot('index name cannot be empty');
  if (name.includes('\0')) throw cannot('index name cannot contain NUL bytes');
  if (name === '*') throw failure('BadValue', "The index name '*' is not valid.");
  if (name === '_id_' && !isIdKey(key))
    throw failure('BadValue', "The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}");
}

function checkFlags(given: Doc): void {
  for (const name of ['unique', 'sparse', 'background']) {
    const value = given[name];
    if (value !== undefined && typeof value !== 'boolean' && !isNumeric(value))
      throw failure('TypeMismatch', `The field '${name}' has value ${name}: ${String(value)}, which is not convertible to bool`);
  }
  if (given.hidden !== undefined && typeof given.hidden !== 'boolean') throw mustBe('hidden', 'a bool', given.hidden);
}

function checkVersion(version: unknown): void {
  if (version === undefined) return;
  if (!isNumeric(version)) throw mustBe('v', 'a number', version);
  if (Number(version) !== 1 && Number(version) !== 2) throw cannot(`cannot create an index with v=${String(version)}`);
}

function isIdKey(key: Doc): boolean {
  const direction = Object.keys(key).length === 1 && isNumeric(key._id) ? Number(key._id) : 0;
  return direction === 1 || direction === -1;
}

function checkIdIndex(given: Doc, key: Doc): void {
  for (const option of Object.keys(given)) {
    if (!ofIdIndex.has(option)) throw notValid(`The field '${option}' is not valid for an _id index specification`);
  }
  if (!equalValues(key, { _id: 1 })) throw failure('BadValue', "The field 'key' for an _id index must be {_id: 1}");
}

function checkPartial(given: Doc, filter: unknown): void {
  if (!isDoc(filter)) throw mustBe('partialFilterExpression', 'an object', filter);
  if (flag(given, 'sparse'))
    throw failure('InvalidIndexSpecificationOption', 'cannot mix "partialFilterExpression" and "sparse" options');
  checkPartialFilter(filter);
}

function checkExpiry(key: Doc, seconds: unknown): void {
  if (!isNumeric(seconds))
    throw cannot(`TTL index 'expireAfterSeconds' option must be numeric, but received a type of ${typeNameOf(seconds)}.`);
  const value = Number(seconds);
  if (value < 0) throw cannot("TTL index 'expireAfterSeconds' option cannot be less than 0.");
  if (!(value <= secondsMax))
    throw cannot(`TTL index 'expireAfterSeconds' option must be within an acceptable range, try a lower number than ${value}.`);
  if (Object.keys(key).length > 1) throw cannot('TTL indexes are single-field indexes, compound indexes do not support TTL');
}
