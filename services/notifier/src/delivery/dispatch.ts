import type { Context } from '../context.ts';
import { attempt } from './attempt.ts';
import { type Chain, sortIntoChains } from './chains.ts';
import type { StoredDelivery } from './document.ts';

/** A delivery that waits for its predecessor is looked at again after this long at the soonest, should nobody wake it. */
const BLOCKED_MS = 1_000;

/**
 * Hands deliveries that this process has just claimed to the lanes of their endpoints, and gives back those that an earlier event of their transaction
 * precedes, until that one is due. `sinceMs`: a moment before the claim, monotonic. Rejects when the database can't be asked: then the claims end by
 * themselves.
 */
export async function dispatch(context: Context, claimed: readonly StoredDelivery[], sinceMs: number): Promise<void> {
  const { deliveries, leases, clock } = context;
  const behind = claimed.filter(({ delivery }) => delivery.seq > 1n && delivery.state.status === 'pending');
  const aggregates = new Set(behind.map(({ delivery }) => delivery.aggregate));
  const { chains, blocked } = sortIntoChains(claimed, await deliveries.claims.pendingOf([...aggregates]));
  for (const chain of chains) start(context, chain, sinceMs);
  const againMs = clock.now() + BLOCKED_MS;
  const later = blocked.map(({ stored, untilMs }) => ({ id: stored.delivery.id, dueAtMs: Math.max(againMs, untilMs) }));
  await deliveries.claims.giveBack(later, leases.owner);
}

function start(context: Context, chain: Chain, sinceMs: number): void {
  const { lanes, leases } = context;
  for (const { delivery } of chain) leases.hold(delivery.id, sinceMs);
  lanes.add(chain[0].delivery.endpoint, {
    run: () => runChain(context, chain),
    expire: () => giveBack(context, chain, 0),
  });
}

/** Attempts one after the other, as long as each is over with that; says whether the endpoint acknowledged the last one that was made. */
async function runChain(context: Context, chain: Chain): Promise<boolean | undefined> {
  let acknowledged: boolean | undefined;
  for (const [i, stored] of chain.entries()) {
    // Another replica may have it by now.
    if (!context.leases.valid(stored.delivery.id)) {
      for (const { delivery } of chain.slice(i)) context.leases.release(delivery.id);
      return acknowledged;
    }
    const made = await attempt(context, stored, i === chain.length - 1);
    context.leases.release(stored.delivery.id);
    acknowledged = made.acknowledged;
    if (made.over) continue;
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
