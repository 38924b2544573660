import type { Context } from '../context.ts';
import { attempt } from './attempt.ts';
import { type Blocked, type Chain, sortIntoChains, uncertain } from './chains.ts';
import type { StoredDelivery } from './delivery.ts';

/** A delivery that waits for its predecessor is checked again after this time at the soonest, in case nothing wakes it. */
const BLOCKED_MS = 1_000;

/**
 * Adds deliveries that this process has just claimed to the queues of their endpoints. It releases those that an earlier event of
 * their transaction precedes, until that one is due. `sinceMs`: a moment before the claim, monotonic. Rejects when the database
 * does not answer: then the claims end by their leases.
 */
export async function dispatch(context: Context, claimed: readonly StoredDelivery[], sinceMs: number): Promise<void> {
  const { deliveries, progress } = context;
  const pending = await deliveries.claims.pendingOf(uncertain(claimed, progress.endedUpTo));
  const { chains, blocked } = sortIntoChains(claimed, pending);
  for (const chain of chains) start(context, chain, sinceMs);
  if (blocked.length > 0) await holdBack(context, blocked);
}

/**
 * First releases the blocked deliveries, then marks their predecessors as awaited. Whichever replica ends a predecessor after
 * that reads the mark and wakes the next delivery. Where a predecessor has ended before, this function wakes it.
 */
export async function holdBack(
  { deliveries, leases, clock, waker }: Pick<Context, 'deliveries' | 'leases' | 'clock' | 'waker'>,
  blocked: readonly Blocked[],
): Promise<void> {
  const soonestMs = clock.now() + BLOCKED_MS;
  const later = blocked.map(({ stored, untilMs }) => ({ id: stored.delivery.id, dueAtMs: Math.max(soonestMs, untilMs) }));
  await deliveries.claims.release(later, leases.owner);
  if (await deliveries.claims.awaitAll(new Set(blocked.map(({ behind }) => behind)))) return;
  await Promise.all(blocked.map(({ stored }) => waker(stored.delivery)));
}

function start(context: Context, chain: Chain, sinceMs: number): void {
  const { queues, leases } = context;
  for (const { delivery } of chain) leases.hold(delivery.id, sinceMs);
  queues.add(chain[0].delivery.endpoint, {
    run: (answered) => runChain(context, chain, answered),
    expire: () => releaseAll(context, chain, 0),
  });
}

/**
 * Makes the attempts one after the other, as long as each ends its delivery and the service does not end. Returns whether the
 * endpoint acknowledged the last attempt that was made. It calls `answered` before the last outcome of the chain is written.
 */
async function runChain(context: Context, chain: Chain, answered: (acknowledged: boolean) => void): Promise<boolean | undefined> {
  let acknowledged: boolean | undefined;
  for (const [i, stored] of chain.entries()) {
    // Without a valid lease another replica may have claimed it by now.
    if (!context.leases.valid(stored.delivery.id)) {
      for (const { delivery } of chain.slice(i)) context.leases.release(delivery.id);
      return acknowledged;
    }
    const isLast = i === chain.length - 1;
    const made = await attempt(context, stored, isLast ? answered : undefined);
    context.leases.release(stored.delivery.id);
    acknowledged = made.acknowledged;
    if (made.ended && !context.ending.aborted) continue;
    await releaseAll(context, chain.slice(i + 1), made.retryAtMs ?? 0);
    return acknowledged;
  }
  return acknowledged;
}

/**
 * Releases claimed deliveries, so that any replica finds them when they are due. It never rejects, because the leases end anyway.
 */
async function releaseAll(context: Context, items: readonly StoredDelivery[], dueAtMs: number): Promise<void> {
  const { deliveries, leases, clock, log } = context;
  for (const { delivery } of items) leases.release(delivery.id);
  const atMs = Math.max(dueAtMs, clock.now());
  try {
    await deliveries.claims.release(
      items.map(({ delivery }) => ({ id: delivery.id, dueAtMs: atMs })),
      leases.owner,
    );
  } catch (error) {
    log.warn({ err: error, deliveries: items.length }, 'could not release deliveries; their leases will end');
  }
}
