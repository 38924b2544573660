import { isPlainText, PLAIN_TEXT_PATTERN } from '@gerbang/core';
import { z } from 'zod';

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
const LIMIT_MESSAGE = `must be a whole number from 1 to ${LIMIT_MAX}`;
const TIME_MESSAGE = 'must be an ISO 8601 date or date and time with a time zone';
const ISO_8601 = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}))?$/;

/** A parameter of a query, which comes as a list where it is given twice. */
export const once = z.string('may be given once');

/** A filter by a reference, which is made of what references are made of (contract §2). */
export const referenceInQuery = once
  .refine(isPlainText, 'must not have control characters')
  .meta({ pattern: PLAIN_TEXT_PATTERN });

const moment = (description: string) =>
  once
    .meta({ description: `${description}, an ISO 8601 date or date and time with a time zone.`, pattern: ISO_8601.source })
    .transform((text, problem) => {
      const ms = momentOf(text);
      if (ms !== undefined) return BigInt(ms);
      problem.addIssue(TIME_MESSAGE);
      return z.NEVER;
    })
    .optional();

/** Parameters of every list (contract §2). A resource's own filters come from its own schema. */
export const listQuery = {
  limit: once
    .refine((text) => /^[0-9]{1,3}$/.test(text), LIMIT_MESSAGE)
    .meta({ description: 'How many items a page has at most.', override: { type: 'integer', minimum: 1, maximum: LIMIT_MAX } })
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= LIMIT_MAX, LIMIT_MESSAGE)
    .default(LIMIT_DEFAULT),
  cursor: once
    .max(512, 'is not a cursor of this list')
    .meta({ description: '`next_cursor` of the page before; left out for the first.' })
    .default(''),
  from: moment('Only what is from this moment or later'),
  to: moment('Only what is from this moment or earlier'),
};

/** A page as lists answer it. */
export function page<Item>(items: Item[], nextCursor: string): { items: Item[]; next_cursor: string | null } {
  return { items, next_cursor: nextCursor === '' ? null : nextCursor };
}

/**
 * Unix milliseconds; a date without a time is its midnight in UTC. Date.parse would let the 31st of February pass as a day of
 * March.
 */
function momentOf(text: string): number | undefined {
  const date = ISO_8601.exec(text)?.[1];
  if (date === undefined) return undefined;
  const ms = Date.parse(text);
  const midnight = Date.parse(date);
  if (Number.isNaN(ms) || Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined;
  return ms;
}
