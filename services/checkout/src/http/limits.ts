import { networkOf } from '@gerbang/runtime';
import type { LimitMetrics } from '@gerbang/service';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { addressOf } from './visit.ts';

/** What metrics call this listener. */
export const LISTENER = 'pay';

/** The customer's address, as limits count it. */
export function networkOfCustomer(request: FastifyRequest): string {
  return networkOf(addressOf(request));
}

/**
 * Counts a request, and gives how long to wait where that was too many. Each counts for its address; one that is refused for that
 * counts for nothing else. Only what creates something counts for its link or checkout, and there an address has a part only: so
 * no address keeps the others out.
 */
export function countRequest(
  { pageLimits, limitMetrics }: Pick<Context, 'pageLimits' | 'limitMetrics'>,
  request: FastifyRequest,
  { creates }: { creates: boolean },
): number | undefined {
  const network = networkOfCustomer(request);
  const ofAddress = pageLimits.address.count(network);
  if (ofAddress !== undefined) return refused(limitMetrics, 'requests of an address', ofAddress);
  if (!creates) return undefined;
  const [, , path = ''] = request.url.split(/[/?]/, 3);
  const reference = path.slice(0, 40);
  const ofBoth = pageLimits.linkAddress.count(`${network} ${reference}`);
  if (ofBoth !== undefined) return refused(limitMetrics, 'requests of an address for a link', ofBoth);
  const ofLink = pageLimits.link.count(reference);
  return ofLink === undefined ? undefined : refused(limitMetrics, 'requests for a link', ofLink);
}

function refused(metrics: LimitMetrics, reason: string, waitMs: number): number {
  metrics.refused(LISTENER, reason);
  return waitMs;
}
