import { RefusalError, refuse } from '@gerbang/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { isLinkOpen, type Session } from './session.ts';

const ULID = '[0-9A-HJKMNP-TV-Z]{26}';
const linkParameters = z.object({ link: z.string().regex(new RegExp(`^PL${ULID}$`)) });
const sessionParameters = linkParameters.extend({ session: z.string().regex(new RegExp(`^PH${ULID}$`)) });

/** The link that a path names. Refusals: transaction_not_found, for anything that can't be one. */
export function linkOf(parameters: unknown): string {
  const parsed = linkParameters.safeParse(parameters);
  if (!parsed.success) throw new RefusalError(refuse('transaction_not_found'));
  return parsed.data.link;
}

/**
 * The session that a path names, which must be one of the path's link. Anyone who knows its reference, which can't be guessed,
 * counts as its customer; there are no other credentials, so a foreign page can't act in the customer's name. Refusals:
 * transaction_not_found.
 */
export async function sessionOf({ checkout }: Pick<Context, 'checkout'>, parameters: unknown): Promise<Session> {
  const parsed = sessionParameters.safeParse(parameters);
  if (!parsed.success) throw new RefusalError(refuse('transaction_not_found'));
  const {
    paymentLink: link,
    paymentLinkHistory: history,
    merchantName,
  } = await checkout.getSession({ reffNo: parsed.data.session });
  if (link === undefined || history === undefined) throw new Error('a session has come without its link or history');
  if (link.reffNo !== parsed.data.link) throw new RefusalError(refuse('transaction_not_found'));
  return { link, history, merchantName };
}

/** Whether a session without a method could still get one. */
export function canChoose({ link }: Session, nowMs: number): boolean {
  const { maxUsage, currentUsage } = link;
  return isLinkOpen(link, nowMs) && (maxUsage === undefined || currentUsage < maxUsage);
}
