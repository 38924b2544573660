import { randomInt } from 'node:crypto';
import { formatSen, parseAmount } from '@gerbang/core';
import { z } from 'zod';
import type { NotFoundOutcome, RefusedOutcome, UnknownOutcome } from './rail-call.ts';
import { type SnapAnswer, type SnapClient, SnapError, type SnapService } from './snap-client.ts';
import type { Treatment } from './treatment.ts';

export const REASON_LENGTH_MAX = 200;

/** An amount as SNAP writes it, read as sen. */
export const snapAmount = z.object({ value: z.string(), currency: z.literal('IDR') }).transform(({ value }, problem) => {
  const sen = parseAmount(value);
  if (sen !== undefined) return sen;
  problem.addIssue('expected an amount in rupiah');
  return z.NEVER;
});

/** Sen as SNAP writes an amount. */
export function toSnapAmount(sen: bigint): { value: string; currency: 'IDR' } {
  return { value: formatSen(sen), currency: 'IDR' };
}

/** The ports' promise: every error on the way to the rail is an unknown outcome. Our own mistakes still throw. */
export async function orUnknown<T>(work: () => Promise<T>): Promise<T | UnknownOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SnapError) return { outcome: 'unknown', reason: error.message };
    throw error;
  }
}

/** For calls that may be repeated with another id: unique per partner and day by its random digits. */
export function newExternalId(nowMs: number): string {
  return `${nowMs}${String(randomInt(1_000_000_000_000)).padStart(12, '0')}`;
}

/** One call to one service, which `read` makes an outcome of. */
export type SnapCalls = <T>(
  service: SnapService,
  body: object,
  signal: AbortSignal,
  read: (answer: SnapAnswer) => T,
) => Promise<T | UnknownOutcome>;

/** Calls with an external id of their own each. `now` is real time. */
export function createSnapCalls(snap: SnapClient, now: () => number): SnapCalls {
  return (service, body, signal, read) =>
    orUnknown(async () => read(await snap.post({ service, externalId: newExternalId(now()), body, signal })));
}

/**
 * What an answer that is no success says. 400, 403, 404 and 405 are the rail's explicit no; 409 says that a number was used
 * before, by an earlier send whose outcome it does not tell; 401 (with a new token), 429 and 5xx tell nothing.
 */
export function readRefusal(answer: SnapAnswer): RefusedOutcome | UnknownOutcome {
  if (![400, 403, 404, 405].includes(answer.httpStatus)) return unknownBy(answer);
  return { outcome: 'failed', code: answer.responseCode, reason: answer.message.slice(0, REASON_LENGTH_MAX) };
}

/** As `readRefusal`, of what the rail should know already: 404 with one of these cases says that it does not. */
export function readRefusalOrNotFound(
  answer: SnapAnswer,
  cases: readonly string[],
): RefusedOutcome | NotFoundOutcome | UnknownOutcome {
  return answer.httpStatus === 404 && cases.includes(answer.caseCode) ? { outcome: 'not_found' } : readRefusal(answer);
}

/**
 * What an answer to a question says that is no success: that the rail does not know of it, or nothing, for a refused question
 * says nothing of the payment.
 */
export function readNotFound(answer: SnapAnswer, cases: readonly string[]): NotFoundOutcome | UnknownOutcome {
  return answer.httpStatus === 404 && cases.includes(answer.caseCode) ? { outcome: 'not_found' } : unknownBy(answer);
}

/** Whether the rail says that it has done what was asked. */
export function isDone(answer: SnapAnswer): boolean {
  return answer.httpStatus === 200 && answer.caseCode === '00';
}

export function unknownBy(answer: SnapAnswer): UnknownOutcome {
  return { outcome: 'unknown', reason: `${answer.responseCode} ${answer.message}`.slice(0, REASON_LENGTH_MAX) };
}

/** An answer that decides nothing, for operators where asking again will hardly help. */
export function undecided(answer: SnapAnswer, treatment: Treatment): UnknownOutcome {
  return treatment === 'operator' ? { ...unknownBy(answer), needsOperator: true } : unknownBy(answer);
}

/** The same of a request that moves money: one that is in progress is pending. */
export function pendingOrUndecided(answer: SnapAnswer, treatment: Treatment): { outcome: 'pending' } | UnknownOutcome {
  return answer.httpStatus === 202 && answer.caseCode === '00' ? { outcome: 'pending' } : undecided(answer, treatment);
}

export function unreadable(): UnknownOutcome {
  return { outcome: 'unknown', reason: 'the rail’s answer lacks what it must have' };
}

export function aboutAnother(): UnknownOutcome {
  return { outcome: 'unknown', reason: 'the rail answers for another reference or amount' };
}

/** Whether what a rail names, as far as it names anything, is what was asked of it. */
export function isAbout(
  request: { partnerReference: string; amountSen: string },
  reference: string | undefined,
  amountSen: bigint | undefined,
): boolean {
  const isSame = reference === undefined || reference === request.partnerReference;
  return isSame && (amountSen === undefined || amountSen === BigInt(request.amountSen));
}
