import { RefusalError, refuse } from '@gerbang/core';
import { networkOf } from '@gerbang/runtime';
import type { Context } from '../context.ts';
import { asPaymentLink, type LinkHolder, type PaymentLinkDetails } from '../payment-link/payment-link.ts';
import { changePaymentRequest, mustFind } from '../payment-request/change.ts';
import type { StoredPaymentRequest } from '../payment-request/document.ts';
import type { PaymentRequest } from '../payment-request/request.ts';
import { asSession } from './session.ts';

/** For so long an address is reminded of uses that it held and did not pay. */
const REMEMBERED_MS = 3_600_000;
/** A link remembers so many; the oldest give way. */
const HOLDERS_MAX = 100;
/** So many unpaid holds an address has in any case: customers share addresses, and change their minds. */
const UNPAID_MIN = 3;

/** The link's details once the session holds a use of it. */
export function withHolder(link: PaymentRequest, session: PaymentRequest, nowMs: number): PaymentLinkDetails {
  const details = asPaymentLink(link.details);
  const holder = { session: session.order.id, network: networkOfSession(session), atMs: nowMs };
  const others = holdersOf(details, nowMs).filter((one) => one.session !== holder.session);
  return { ...details, holders: [...others, holder].slice(-HOLDERS_MAX) };
}

/**
 * An address that holds uses of a link and does not pay may hold no more than others still can take, and three in any case,
 * within an hour. What was paid does not count. Refusals: rate_limited.
 */
export async function mustNotHoldTooMany(
  { paymentRequests, clock }: Pick<Context, 'paymentRequests' | 'clock'>,
  link: PaymentRequest,
  session: PaymentRequest,
): Promise<void> {
  const { maxUses, used, inFlight } = link.state;
  const network = networkOfSession(session);
  if (maxUses === undefined || network === '') return;
  const allowed = Math.max(UNPAID_MIN, maxUses - used - inFlight.length);
  const nowMs = clock.now();
  const own = holdersOf(asPaymentLink(link.details), nowMs).filter((one) => one.network === network);
  const others = own.filter((one) => one.session !== session.order.id);
  if (others.length < allowed) return;
  const held = await paymentRequests.findMany(others.map((one) => one.session));
  if (held.filter(({ state }) => state.status !== 'completed').length < allowed) return;
  const retryAfterMs = Math.max(1_000, Math.min(...others.map(({ atMs }) => atMs)) + REMEMBERED_MS - nowMs);
  throw new RefusalError(refuse('rate_limited', { retryAfterMs }));
}

/**
 * The holder of the link's last use keeps all others from paying, so its session ends sooner. Not where something was issued
 * already: that stays good for as long as it was said. Refusals: bad_request (the session is over).
 */
export async function endSoonerIfLast(
  context: Pick<Context, 'paymentRequests' | 'kinds' | 'clock' | 'holdMs'>,
  linkId: string,
  session: StoredPaymentRequest,
): Promise<StoredPaymentRequest> {
  const { maxUses, used, inFlight } = (await mustFind(context, linkId)).state;
  const isLast = maxUses !== undefined && used + inFlight.length >= maxUses;
  if (!isLast || asSession(session.details).issued.length > 0) return session;
  const { minSen, maxSen, maxUses: ownUses, expiresAtMs } = session.state;
  const endsAtMs = context.clock.now() + context.holdMs;
  if (expiresAtMs !== undefined && expiresAtMs <= endsAtMs) return session;
  const change = { type: 'change', minSen, maxSen, maxUses: ownUses, expiresAtMs: endsAtMs } as const;
  return (await changePaymentRequest(context, session, change)).request;
}

function holdersOf({ holders }: PaymentLinkDetails, nowMs: number): LinkHolder[] {
  return holders.filter(({ atMs }) => atMs > nowMs - REMEMBERED_MS);
}

/** The address that has opened the link, as limits count it; empty where it is not known. */
function networkOfSession({ details }: PaymentRequest): string {
  return networkOf(asSession(details).ipAddress);
}
