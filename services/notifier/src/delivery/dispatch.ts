import type { Context } from '../context.ts';
import { attempt } from './attempt.ts';
import { type Blocked, type Chain, sortIntoChains, uncertain } from './chains.ts';
import type { StoredDelivery } from './document.ts';

/** A delivery that waits for its predecessor is looked at again after this long at the soonest, should nobody wake it. */
const BLOCKED_MS = 1_000;

/**
 * Hands deliveries that this process has just claimed to the lanes of their endpoints, and gives back those that an earlier event of their transaction
 * precedes, until that one is due. `sinceMs`: a moment before the claim, monotonic. Rejects when the database can't be asked: then the claims end by
 * themselves.
 */
export async function dispatch(context: Context, claimed: readonly StoredDelivery[], sinceMs: number): Promise<void> {
  const { deliveries, progress } = context;
  const pending = await deliveries.claims.pendingOf(uncertain(claimed, progress.overUpTo));
  const { chains, blocked } = sortIntoChains(claimed, pending);
  for (const chain of chains) start(context, chain, sinceMs);
  if (blocked.length > 0) await holdBack(context, blocked);
}

/**
 * First gives back, then notes on the predecessors that they are awaited: so whoever ends one after that wakes what is free by then, wherever that is. Where
 * one has ended before, it is for us to wake.
 */
export async function holdBack(
  { deliveries, leases, clock, waker }: Pick<Context, 'deliveries' | 'leases' | 'clock' | 'waker'>,
  blocked: readonly Blocked[],
): Promise<void> {
  const againMs = clock.now() + BLOCKED_MS;
  const later = blocked.map(({ stored, untilMs }) => ({ id: stored.delivery.id, dueAtMs: Math.max(againMs, untilMs) }));
  await deliveries.claims.giveBack(later, leases.owner);
  if (await deliveries.claims.awaitAll(new Set(blocked.map(({ behind }) => behind)))) return;
  await Promise.all(blocked.map(({ stored }) => waker(stored.delivery)));
}

function start(context: Context, chain: Chain, sinceMs: number): void {
  const { lanes, leases } = context;
  for (const { delivery } of chain) leases.hold(delivery.id, sinceMs);
  lanes.add(chain[0].delivery.endpoint, {
    run: (answered) => runChain(context, chain, answered),
    expire: () => giveBack(context, chain, 0),
  });
}

/**
 * Attempts one after the other, as long as each is over with that and the service does not end; says whether the endpoint acknowledged the last one that
 * was made. `answered` hears it before that is written, where nothing of the chain comes after it.
 */
async function runChain(context: Context, chain: Chain, answered: (acknowledged: boolean) => void): Promise<boolean | undefined> {
  let acknowledged: boolean | undefined;
  for (const [i, stored] of chain.entries()) {
    // Another replica may have it by now.
    if (!context.leases.valid(stored.delivery.id)) {
      for (const { delivery } of chain.slice(i)) context.leases.release(delivery.id);
      return acknowledged;
    }
    const isLast = i === chain.length - 1;
    const made = await attempt(context, stored, isLast ? answered : undefined);
    context.leases.release(stored.delivery.id);
    acknowledged = made.acknowledged;
    if (made.over && !context.ending.aborted) continue;
    await giveBack(context, chain.slice(i + 1), made.againAtMs ?? 0);
    return acknowledged;
  }
  return acknowledged;
}

/** Leaves deliveries to whoever finds them due again; never rejects, because the leases end anyway. */
export async function giveBack(context: Context, items: readonly StoredDelivery[], dueAtMs: number): Promise<void> {
  const { deliveries, leases, clock, log } = context;
  for (const { delivery } of items) leases.release(delivery.id);
  const atMs = Math.max(dueAtMs, clock.now());
  try {
    await deliveries.claims.giveBack(
      items.map(({ delivery }) => ({ id: delivery.id, dueAtMs: atMs })),
      leases.owner,
    );
  } catch (error) {
    log.warn({ err: error, deliveries: items.length }, 'could not give deliveries back; their leases will end');
  }
}
