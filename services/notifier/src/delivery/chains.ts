import { dueAtMs } from './delivery.ts';
import type { StoredDelivery } from './document.ts';

/** Deliveries of one aggregate and one endpoint that go out one after the other, each when the one before is over. Never empty. */
export type Chain = readonly [StoredDelivery, ...StoredDelivery[]];

/** An event's place in the order of its transaction. */
export type Position = { aggregate: string; seq: bigint };

/** An event of an aggregate that is neither delivered nor given up; `dueAtMs` is when it is attempted next. */
export type Pending = Position & { id: string; dueAtMs: number };

/** A delivery that has to wait, until when (business time) at the least, and for what: the last one of those that precede it. */
export type Blocked = { stored: StoredDelivery; untilMs: number; behind: string };

/** What may go of the deliveries that were claimed, and what has to wait. */
export type Sorted = { chains: Chain[]; blocked: Blocked[] };

/**
 * The aggregates of which something else may be pending before what was claimed, so that the database has to be asked: those whose claimed events do not
 * continue, one by one, what is known to be over.
 */
export function uncertain(claimed: readonly StoredDelivery[], overUpTo: (aggregate: string) => bigint): string[] {
  const pending = Map.groupBy(claimed.filter(isPending), ({ delivery }) => delivery.aggregate);
  return [...pending].flatMap(([aggregate, ofOne]) => {
    const first = overUpTo(aggregate) + 1n;
    const continues = ofOne.sort(bySeq).every(({ delivery }, i) => delivery.seq === first + BigInt(i));
    return continues ? [] : [aggregate];
  });
}

/**
 * Sorts claimed deliveries by what their transactions' order allows (contract §10): of each aggregate those go that no pending event, other than
 * themselves, precedes. `pending` tells of all other pending events of the aggregates that can precede. What is over already, and is sent again because
 * somebody asked, waits for nobody.
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
