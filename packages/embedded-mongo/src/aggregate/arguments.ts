import { type Doc, isDoc, typeNameOf } from '../bson/types.ts';
import { location } from '../errors.ts';

/** The named arguments of an operator: those it may have, those it must, each with the code where it is missing. */
export type Named = { object: number; unknown: number; known: readonly string[]; required: Readonly<Record<string, number>> };

/** The named arguments an operator was given. Refuses what is no document, unknown ones and missing ones. */
export function namedArguments(name: string, operand: unknown, { object, unknown, known, required }: Named): Doc {
  if (!isDoc(operand)) throw location(object, `${name} only supports an object as its argument, found: ${typeNameOf(operand)}`);
  for (const field of Object.keys(operand)) {
    if (!known.includes(field)) throw location(unknown, `Unrecognized parameter to ${name}: ${field}`);
  }
  for (const [field, code] of Object.entries(required)) {
    if (!Object.hasOwn(operand, field)) throw location(code, `Missing '${field}' parameter to ${name}`);
  }
  return operand;
}

const trimming: Named = { object: 50696, unknown: 50694, known: ['input', 'chars'], required: { input: 50695 } };
const pattern: Named = {
  ...{ object: 51103, unknown: 31024, known: ['input', 'regex', 'options'], required: { input: 31022, regex: 31023 } },
};
const replacing: Named = {
  ...{ object: 51751, unknown: 51750, known: ['input', 'find', 'replacement'] },
  required: { input: 51749, find: 51748, replacement: 51747 },
};
const moving: Named = {
  ...{ object: 5166400, unknown: 5166401, known: ['startDate', 'unit', 'amount', 'timezone'] },
  required: { startDate: 5166402, unit: 5166402, amount: 5166402 },
};

const named = new Map<string, Named>([
  ['$trim', trimming],
  ['$ltrim', trimming],
  ['$rtrim', trimming],
  ['$regexFind', pattern],
  ['$regexFindAll', pattern],
  ['$regexMatch', pattern],
  ['$replaceOne', replacing],
  ['$replaceAll', replacing],
  ['$dateAdd', moving],
  ['$dateSubtract', moving],
  [
    '$dateToString',
    { object: 18629, unknown: 18534, known: ['date', 'format', 'timezone', 'onNull'], required: { date: 18628 } },
  ],
  [
    '$dateFromString',
    {
      ...{ object: 40540, unknown: 40541, known: ['dateString', 'format', 'timezone', 'onError', 'onNull'] },
      required: { dateString: 40542 },
    },
  ],
  ['$dateToParts', { object: 40524, unknown: 40520, known: ['date', 'timezone', 'iso8601'], required: { date: 40522 } }],
  [
    '$dateFromParts',
    {
      ...{ object: 40519, unknown: 40518, required: {} },
      known: [
        ...['year', 'month', 'day', 'hour', 'minute', 'second', 'millisecond', 'timezone'],
        ...['isoWeekYear', 'isoWeek', 'isoDayOfWeek'],
      ],
    },
  ],
  [
    '$dateDiff',
    {
      ...{ object: 5166301, unknown: 5166302, known: ['startDate', 'endDate', 'unit', 'timezone', 'startOfWeek'] },
      required: { startDate: 5166303, endDate: 5166304, unit: 5166305 },
    },
  ],
  [
    '$dateTrunc',
    {
      ...{ object: 5439007, unknown: 5439008, known: ['date', 'unit', 'binSize', 'timezone', 'startOfWeek'] },
      required: { date: 5439009, unit: 5439010 },
    },
  ],
  ['$zip', { object: 34460, unknown: 34464, known: ['inputs', 'useLongestLength', 'defaults'], required: { inputs: 34465 } }],
]);

/** How many arguments the others take. One is what is not listed here. */
const counts = new Map<string, readonly [min: number, max: number]>([
  ['$split', [2, 2]],
  ['$strcasecmp', [2, 2]],
  ['$substr', [3, 3]],
  ['$substrBytes', [3, 3]],
  ['$substrCP', [3, 3]],
  ['$indexOfBytes', [2, 4]],
  ['$indexOfCP', [2, 4]],
  ['$atan2', [2, 2]],
  ['$log', [2, 2]],
  ['$pow', [2, 2]],
]);

const partsOfDates = new Set(
  `$year $month $week $dayOfYear $dayOfMonth $dayOfWeek $hour $minute $second $millisecond $isoWeek $isoWeekYear
  $isoDayOfWeek`.split(/\s+/),
);
const ofDate: Named = { object: 40539, unknown: 40535, known: ['date', 'timezone'], required: { date: 40539 } };

/** Refuses arguments that an operator does not take. */
export function checkArguments(name: string, operand: unknown): void {
  const spec = named.get(name);
  if (spec) {
    checkNamed(name, namedArguments(name, operand, spec));
    return;
  }
  const isExpression = !isDoc(operand) || Object.keys(operand)[0]?.startsWith('$') === true;
  if (partsOfDates.has(name)) {
    if (!isExpression) namedArguments(name, operand, ofDate);
    else if (Array.isArray(operand) && operand.length !== 1)
      throw location(40536, `${name} accepts exactly one argument if given an array, but was given ${operand.length}`);
    return;
  }
  const [min, max] = counts.get(name) ?? [1, 1];
  const given = Array.isArray(operand) ? operand.length : 1;
  if (given < min || given > max)
    throw location(min === max ? 16020 : 28667, `Expression ${name} takes ${min} to ${max} arguments. ${given} were passed in.`);
}

function checkNamed(name: string, given: Doc): void {
  if (name === '$dateFromParts' && !('year' in given) && !('isoWeekYear' in given))
    throw location(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
  if (name !== '$zip') return;
  if (!Array.isArray(given.inputs)) throw location(34461, 'inputs must be an array of expressions');
  if (given.inputs.length === 0) throw location(34465, '$zip requires at least one input array');
  if (given.useLongestLength !== undefined && typeof given.useLongestLength !== 'boolean')
    throw location(34463, 'useLongestLength must be a bool');
  if (given.defaults !== undefined && given.useLongestLength !== true)
    throw location(34466, 'cannot specify defaults unless useLongestLength is true');
}
