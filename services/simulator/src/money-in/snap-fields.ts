import { parseAmount } from '@gerbang/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { type SnapAnswer, SnapRefusal } from '../snap/snap.ts';

/** An amount as SNAP writes it, read as sen; more than zero. */
export const snapAmountSen = z
  .object({ value: z.string().regex(/^[0-9]{1,14}\.[0-9]{2}$/), currency: z.literal('IDR') })
  .transform(({ value }, context) => {
    const sen = parseAmount(value);
    if (sen !== undefined) return sen;
    context.addIssue({ code: 'custom', path: ['value'], message: 'out of bounds' });
    return z.NEVER;
  });

/** A moment as SNAP writes it, read as Unix milliseconds. */
export const snapTimeMs = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const partnerReference = z.string().min(1).max(64);

export const done = (fields: object): SnapAnswer => ({ http: 200, caseCode: '00', message: 'Successful', fields });
export const DO_NOT_HONOR: SnapAnswer = { http: 403, caseCode: '05', message: 'Do Not Honor' };
export const TRANSACTION_NOT_FOUND: SnapAnswer = { http: 404, caseCode: '01', message: 'Transaction Not Found' };

/** External ids of calls that make nothing new are unique per partner and day as well. Refuses with 409 00. */
export function takeExternalId({ inquiryIds }: Pick<Context, 'inquiryIds'>, externalKey: string): void {
  if (!inquiryIds.take(externalKey)) throw new SnapRefusal(409, '00', 'Conflict');
}
