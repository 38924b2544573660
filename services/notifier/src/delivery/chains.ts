import type { StoredDelivery } from './document.ts';

/** Deliveries of one aggregate and one endpoint that go out one after the other, each when the one before is over. Never empty. */
export type Chain = readonly [StoredDelivery, ...StoredDelivery[]];

/** An event of an aggregate that is neither delivered nor given up; `dueAtMs` is when it is attempted next. */
export type Pending = { aggregate: string; seq: bigint; dueAtMs: number };

/** What may go of the deliveries that were claimed, and what has to wait, until when (business time) at the least. */
export type Sorted = { chains: Chain[]; blocked: { stored: StoredDelivery; untilMs: number }[] };

/**
 * Sorts claimed deliveries by what their transactions' order allows (contract §10): of each aggregate those go that no pending event, other than
 * themselves, precedes. `pending` tells of all pending events of the aggregates. What is over already, and is sent again because somebody asked, waits
 * for nobody.
 */
export function sortIntoChains(claimed: readonly StoredDelivery[], pending: readonly Pending[]): Sorted {
  const sorted: Sorted = { chains: [], blocked: [] };
  for (const ofOne of Map.groupBy(claimed, ({ delivery }) => delivery.aggregate).values()) {
    const waiting: StoredDelivery[] = [];
    for (const stored of ofOne) {
      if (stored.delivery.state.status === 'pending') waiting.push(stored);
      else sorted.chains.push([stored]);
    }
    const [first] = waiting;
    if (first === undefined) continue;
    const before = pending.filter(({ aggregate }) => aggregate === first.delivery.aggregate);
    addInOrder(sorted, waiting.sort(bySeq), before.sort(bySeqOfPending));
  }
  return sorted;
}

function addInOrder(sorted: Sorted, claimed: readonly StoredDelivery[], pending: readonly Pending[]): void {
  const chain: StoredDelivery[] = [];
  for (const stored of claimed) {
    const [head = stored] = chain;
    const preceding = pending.find(({ seq }) => seq < stored.delivery.seq && !chain.some(({ delivery }) => delivery.seq === seq));
    const goes = preceding === undefined && stored.delivery.endpoint === head.delivery.endpoint;
    if (goes) chain.push(stored);
    else sorted.blocked.push({ stored, untilMs: preceding?.dueAtMs ?? 0 });
  }
  const [head, ...followers] = chain;
  if (head !== undefined) sorted.chains.push([head, ...followers]);
}

function bySeq(a: StoredDelivery, b: StoredDelivery): number {
  return Number(a.delivery.seq - b.delivery.seq);
}

function bySeqOfPending(a: Pending, b: Pending): number {
  return Number(a.seq - b.seq);
}
