import { compareValues } from '../bson/compare.ts';
import { type Doc, isDoc, isNumeric, rankOf, typeNameOf } from '../bson/types.ts';
import { failure, location } from '../errors.ts';
import { checkFieldName, pathParts } from '../query/field-path.ts';
import { evaluateConstant } from './expression.ts';
import { checkConstant } from './variables.ts';

/** The number of a `$limit` or `$skip`. */
export function countOf(operand: unknown, name: '$limit' | '$skip'): number {
  const count = isNumeric(operand) ? Number(operand) : Number.NaN;
  if (!Number.isInteger(count) || count < 0)
    throw location(
      name === '$limit' ? 5107201 : 5107200,
      `invalid argument to ${name} stage: Expected a non-negative number in: ${name}: ${String(operand)}`,
    );
  if (name === '$limit' && count === 0) throw location(15958, 'the limit must be positive');
  return count;
}

/** The field of a `$count`. */
export function countFieldOf(operand: unknown): string {
  if (typeof operand !== 'string') throw location(40156, 'the count field must be a non-empty string');
  if (operand === '') throw location(40157, 'the count field must be a non-empty string');
  if (operand.startsWith('$')) throw location(40158, 'the count field cannot be a $-prefixed path');
  if (operand.includes('\0')) throw location(40159, 'the count field cannot contain a null byte');
  if (operand.includes('.')) throw location(40160, "the count field cannot contain '.'");
  if (operand === '_id') throw location(15948, "a group's _id may only be specified once");
  return operand;
}

/** The size of a `$sample`. */
export function sampleSizeOf(operand: unknown): number {
  if (!isDoc(operand)) throw location(28745, 'the $sample stage specification must be an object');
  const other = Object.keys(operand).find((name) => name !== 'size');
  if (other !== undefined) throw location(28748, `unrecognized option to $sample: ${other}`);
  const { size } = operand;
  if (size === undefined) throw location(28749, '$sample stage must specify a size');
  if (!isNumeric(size)) throw location(28746, 'size argument to $sample must be a number');
  const count = Math.trunc(Number(size));
  if (!(count > 0)) throw location(28747, 'size argument to $sample must be a positive integer');
  return count;
}

export type Unwind = { parts: string[]; index: string[] | undefined; preserve: boolean };

/** What an `$unwind` is told. */
export function unwindOf(operand: unknown): Unwind {
  if (typeof operand !== 'string' && !isDoc(operand))
    throw location(15981, `expected either a string or an object as specification for $unwind stage, got ${typeNameOf(operand)}`);
  const options: Doc = isDoc(operand) ? operand : { path: operand };
  const { path, includeArrayIndex: index, preserveNullAndEmptyArrays: preserve = false, ...others } = options;
  const [other] = Object.keys(others);
  if (other !== undefined) throw location(28811, `unrecognized option to $unwind stage: ${other}`);
  if (path === undefined) throw location(28812, 'no path specified to $unwind stage');
  if (typeof path !== 'string') throw location(28808, 'expected a string as the path for $unwind stage');
  if (typeof preserve !== 'boolean')
    throw location(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
  if (index !== undefined && (typeof index !== 'string' || index === ''))
    throw location(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage');
  if (!path.startsWith('$')) throw location(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  if (index?.startsWith('$'))
    throw location(28822, `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${index}`);
  return { parts: pathParts(path.slice(1)), index: index === undefined ? undefined : pathParts(index), preserve };
}

/** Refuses a `$sortByCount` by what is neither a path nor an operator. */
export function checkSortByCount(operand: unknown): void {
  if (isDoc(operand)) {
    if (Object.keys(operand)[0]?.startsWith('$') !== true)
      throw location(40147, 'the sortByCount field must be defined as a $-prefixed path or an expression inside an object');
  } else if (typeof operand !== 'string')
    throw location(40149, 'the sortByCount field must be specified as a string or as an object');
  else if (!operand.startsWith('$'))
    throw location(40148, 'the sortByCount field must be defined as a $-prefixed path or an expression inside an object');
}

const notInFacets = new Set([
  '$facet',
  '$out',
  '$merge',
  '$geoNear',
  '$collStats',
  '$indexStats',
  '$documents',
  '$listLocalSessions',
]);

/** The pipelines of a `$facet`, by name. */
export function facetsOf(operand: unknown): Array<[string, unknown[]]> {
  if (!isDoc(operand) || Object.keys(operand).length === 0)
    throw location(40169, 'the $facet specification must be a non-empty object');
  return Object.entries(operand).map(([name, pipeline]) => {
    checkFieldName(name);
    if (!Array.isArray(pipeline)) throw location(40170, `arguments to $facet must be arrays, ${name} is not`);
    for (const stage of pipeline) {
      if (!isDoc(stage))
        throw location(40171, `elements of arrays in $facet spec must be non-empty objects, ${name} has another`);
      const [stageName = ''] = Object.keys(stage);
      if (notInFacets.has(stageName)) throw location(40600, `${stageName} is not allowed to be used within a $facet stage`);
    }
    return [name, pipeline];
  });
}

export type Bucket = { groupBy: unknown; boundaries: readonly unknown[]; otherwise: unknown; output: Doc | undefined };

/** What a `$bucket` is told. */
export function bucketOf(operand: unknown): Bucket {
  if (!isDoc(operand))
    throw location(40201, `Argument to $bucket stage must be an object, but found type: ${typeNameOf(operand)}.`);
  const { groupBy, boundaries: bounds, default: given, output, ...others } = operand;
  const [other] = Object.keys(others);
  if (other !== undefined) throw location(40197, `Unrecognized option to $bucket: ${other}.`);
  if (groupBy === undefined || bounds === undefined)
    throw location(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  const isExpression = isDoc(groupBy) && Object.keys(groupBy)[0]?.startsWith('$') === true;
  if (!isExpression && !(typeof groupBy === 'string' && groupBy.startsWith('$')))
    throw location(40202, "The $bucket 'groupBy' field must be defined as a $-prefixed path or an expression.");
  if (!Array.isArray(bounds)) throw location(40200, "The $bucket 'boundaries' field must be an array.");
  const boundaries = bounds.map((one) => constantOf(one, 40191, 'boundaries'));
  if (boundaries.length < 2) throw location(40192, "The $bucket 'boundaries' field must have at least 2 values.");
  checkOrder(boundaries);
  const otherwise = given === undefined ? undefined : constantOf(given, 40195, 'default');
  if (otherwise !== undefined) checkDefault(otherwise, boundaries);
  if (output !== undefined && !isDoc(output)) throw location(40196, "The $bucket 'output' field must be an object.");
  return { groupBy, boundaries, otherwise, output };
}

function constantOf(expression: unknown, code: number, field: string): unknown {
  try {
    checkConstant(expression);
  } catch (cause) {
    const refusal = location(code, `The $bucket '${field}' field must be constant.`);
    refusal.cause = cause;
    throw refusal;
  }
  return evaluateConstant(expression, {}) ?? null;
}

function checkOrder(boundaries: readonly unknown[]): void {
  for (const [at, upper] of boundaries.slice(1).entries()) {
    const lower = boundaries[at];
    if (rankOf(lower) !== rankOf(upper))
      throw location(40193, "All values in the 'boundaries' option to $bucket must have the same type.");
    if (compareValues(lower, upper) >= 0) throw location(40194, "The 'boundaries' option to $bucket must be sorted.");
  }
}

function checkDefault(value: unknown, boundaries: readonly unknown[]): void {
  if (rankOf(value) !== rankOf(boundaries[0])) return;
  if (compareValues(value, boundaries[0]) >= 0 && compareValues(value, boundaries.at(-1)) < 0)
    throw location(
      40199,
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.",
    );
}

/** What a `$unionWith` is told. */
export function unionOf(operand: unknown): { collection: string; pipeline: readonly unknown[] } {
  if (typeof operand !== 'string' && !isDoc(operand))
    throw failure(
      'FailedToParse',
      `the $unionWith stage specification must be an object or string, but found ${typeNameOf(operand)}`,
    );
  const { coll, pipeline = [], ...others }: Doc = isDoc(operand) ? operand : { coll: operand };
  const [other] = Object.keys(others);
  if (other !== undefined) throw location(40415, `BSON field '$unionWith.${other}' is an unknown field.`);
  if (coll === undefined)
    throw failure('FailedToParse', '$unionWith stage without explicit collection is not supported by this server');
  if (typeof coll !== 'string')
    throw failure('TypeMismatch', "BSON field '$unionWith.coll' is the wrong type, expected type 'string'");
  if (coll === '') throw failure('InvalidNamespace', 'Invalid collection name specified');
  if (!Array.isArray(pipeline))
    throw failure('TypeMismatch', "BSON field '$unionWith.pipeline' is the wrong type, expected type 'array'");
  refuseWrites(pipeline, 31441, '$unionWith');
  return { collection: coll, pipeline };
}

/** Refuses stages in a sub-pipeline that write. */
export function refuseWrites(pipeline: readonly unknown[], code: number, within: string): void {
  for (const stage of pipeline) {
    const [name = ''] = isDoc(stage) ? Object.keys(stage) : [];
    if (name === '$out' || name === '$merge') throw location(code, `${name} is not allowed within a ${within}'s sub-pipeline`);
  }
}
