import { dueAtMs, type StoredDelivery } from './delivery.ts';

/**
 * Deliveries of one aggregate and one endpoint that go out one after the other, each when the one before has ended. Never empty.
 */
export type Chain = readonly [StoredDelivery, ...StoredDelivery[]];

/** An event's position in the order of its transaction. */
export type Position = { aggregate: string; seq: bigint };

/** An event of an aggregate that is neither delivered nor given up; `dueAtMs` is when its next attempt is due. */
export type Pending = Position & { id: string; dueAtMs: number };

/** A delivery that has to wait for `behind`, the last event that precedes it, at least until `untilMs` (business time). */
export type Blocked = { stored: StoredDelivery; untilMs: number; behind: string };

/** Which of the claimed deliveries may go, and which have to wait. */
export type Sorted = { chains: Chain[]; blocked: Blocked[] };

/**
 * The aggregates that may have a pending event before the claimed ones, so that the database has to be asked: those whose claimed
 * events do not continue, one by one, the events that are known to have ended.
 */
export function uncertain(claimed: readonly StoredDelivery[], endedUpTo: (aggregate: string) => bigint): string[] {
  const pending = Map.groupBy(claimed.filter(isPending), ({ delivery }) => delivery.aggregate);
  return [...pending].flatMap(([aggregate, ofOne]) => {
    const first = endedUpTo(aggregate) + 1n;
    const continues = ofOne.sort(bySeq).every(({ delivery }, i) => delivery.seq === first + BigInt(i));
    return continues ? [] : [aggregate];
  });
}

/**
 * Sorts claimed deliveries by the order of their transactions (contract §10): a delivery goes when no pending event of its
 * aggregate precedes it, except claimed ones that go before it. `pending` are all other pending events of the aggregates in
 * question. A delivery that has ended, and is sent again on request, waits for nothing.
 */
export function sortIntoChains(claimed: readonly StoredDelivery[], pending: readonly Pending[]): Sorted {
  const sorted: Sorted = { chains: [], blocked: [] };
  const pendingOf = Map.groupBy(pending, ({ aggregate }) => aggregate);
  for (const [aggregate, ofOne] of Map.groupBy(claimed, ({ delivery }) => delivery.aggregate)) {
    for (const stored of ofOne) if (!isPending(stored)) sorted.chains.push([stored]);
    addInOrder(sorted, ofOne.filter(isPending).sort(bySeq), pendingOf.get(aggregate) ?? []);
  }
  return sorted;
}

function addInOrder(sorted: Sorted, claimed: readonly StoredDelivery[], others: readonly Pending[]): void {
  const pending = new Map([...claimed.map(toPending), ...others].map((each) => [each.id, each]));
  const inOrder = [...pending.values()].sort((a, b) => Number(a.seq - b.seq));
  const chain: StoredDelivery[] = [];
  for (const stored of claimed) {
    const { seq, endpoint } = stored.delivery;
    const before = inOrder.filter((each) => each.seq < seq);
    const last = before.at(-1);
    const [head = stored] = chain;
    const goes = before.length === chain.length && endpoint === head.delivery.endpoint;
    if (goes || last === undefined) chain.push(stored);
    else {
      const first = before.find(({ id }) => !chain.some(({ delivery }) => delivery.id === id));
      sorted.blocked.push({ stored, untilMs: first?.dueAtMs ?? 0, behind: last.id });
    }
  }
  const [head, ...followers] = chain;
  if (head !== undefined) sorted.chains.push([head, ...followers]);
}

function isPending({ delivery }: StoredDelivery): boolean {
  return delivery.state.status === 'pending';
}

function toPending({ delivery: { id, aggregate, seq, state } }: StoredDelivery): Pending {
  return { id, aggregate, seq, dueAtMs: dueAtMs(state) ?? 0 };
}

function bySeq(a: StoredDelivery, b: StoredDelivery): number {
  return Number(a.delivery.seq - b.delivery.seq);
}
