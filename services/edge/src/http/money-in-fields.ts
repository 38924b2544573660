import { type StatusWords, statusOfWord } from '@gerbang/present';
import { PayableStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { text } from './fields.ts';
import { listQuery } from './list-query.ts';
import type { Call } from './route.ts';

const MS_MESSAGE = 'must be Unix milliseconds of 13 digits';

/** Unix milliseconds, a 13-digit string or integer (contract §2). Whether it is in the future is for the service to say, by business time. */
export const unixMs = z
  .union([z.string(), z.number()], { error: (issue) => (issue.input === undefined ? 'is required' : MS_MESSAGE) })
  .transform((value, problem) => {
    if (/^[0-9]{13}$/.test(String(value))) return BigInt(value);
    problem.addIssue(MS_MESSAGE);
    return z.NEVER;
  });

/** Text of 1 to so many characters. */
export const textUpTo = (charactersMax: number) =>
  text.refine((value) => value !== '' && (value.length <= charactersMax || [...value].length <= charactersMax), {
    error: `must have 1 to ${charactersMax} characters`,
  });

/** How often something may be paid. */
export const maxUsage = z
  .int({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number from 1 to 255') })
  .min(1, 'must be a whole number from 1 to 255')
  .max(255, 'must be a whole number from 1 to 255');

/** An address of a page on the web. */
export const webUrl = text.refine((value) => value.length <= 2_048 && isWebUrl(value), 'must be an http or https URL');

/** What may be left out, or null, and then is not there. */
export function orAbsent<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** The query of money in's lists; `words` are the product's own for its statuses. */
export function moneyInListQuery(words: StatusWords) {
  return z.object({
    ...listQuery,
    merchant_reff_no: z.string('may be given once').default(''),
    status: z
      .string('may be given once')
      .transform((word, problem) => {
        const status = statusOfWord(words, word);
        if (status !== undefined) return status;
        problem.addIssue(`must be one of ${[...new Set(Object.values(words))].join(', ')}`);
        return z.NEVER;
      })
      .default(PayableStatus.UNSPECIFIED),
  });
}

/** The query as money in takes it. */
export function toListQuery(
  { caller, params }: Pick<Call, 'caller' | 'params'>,
  query: { limit: number; cursor: string; merchant_reff_no: string; from?: bigint | undefined; to?: bigint | undefined },
) {
  const { limit, cursor, merchant_reff_no, from, to } = query;
  return {
    merchantId: caller.merchantId,
    accountId: params.account_id ?? '',
    limit,
    cursor,
    merchantReffNo: merchant_reff_no,
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  };
}

function isWebUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '';
}

/** An id that is a number; 0, which is nobody's, for whatever else a path has: an unknown id is no other error (contract §2). */
export function numberInPath(text: string): bigint {
  return /^[0-9]{1,15}$/.test(text) ? BigInt(text) : 0n;
}
