import type { Clock } from '@gerbang/core';
import { dayOf, dueAtMs } from './day.ts';
import type { Days } from './days.ts';
import type { Differences } from './differences.ts';
import type { DifferenceDocument } from './document.ts';
import type { Reconciliation } from './reconciliation.ts';

/** A payment as it is asked about. `atMs`: its time at the rail, which says its day; `knownAtMs`: since when we know of it. */
export type Asked = { rail: string; paymentId: string; atMs: number; knownAtMs: number };

/** When a payment was found in the rail's books, or explained, and by whom. */
export type ReconciledBy = { atMs: number; by: 'system' | 'operator' };

/**
 * Says of payments whether they are reconciled. Nothing is written for that: a payment is so when its day was compared after we
 * knew of it and nothing of it differs. Payments whose day has not been compared cost no question to the database.
 */
export type Reconciled = { of(asked: readonly Asked[]): Promise<ReadonlyMap<string, ReconciledBy>> };

/** A day may be compared again at any time, so what is known of it is believed for so long, real time. */
const BELIEVED_MS = 2_000;
const KNOWN_MAX = 5_000;

export function createReconciled({
  days,
  differences,
  clock,
}: {
  days: Days;
  differences: Differences;
  clock: Clock;
}): Reconciled {
  const known = new Map<string, { untilMs: number; found: Promise<Reconciliation | undefined> }>();
  const findDay = (rail: string, atMs: number) => {
    const key = `${rail}:${dayOf(atMs)}`;
    const there = known.get(key);
    if (there !== undefined && there.untilMs > Date.now()) return there.found;
    if (known.size >= KNOWN_MAX) known.clear();
    const found = days.find(rail, dayOf(atMs));
    known.set(key, { untilMs: Date.now() + BELIEVED_MS, found });
    found.catch(() => known.delete(key));
    return found;
  };
  return {
    async of(asked) {
      const past = asked.filter(({ atMs }) => clock.now() >= dueAtMs(dayOf(atMs)));
      const compared = await Promise.all(past.map(async (one) => ({ ...one, day: await findDay(one.rail, one.atMs) })));
      const candidates = compared.filter(
        ({ day, knownAtMs }) => day?.result !== undefined && knownAtMs <= day.result.comparedAtMs,
      );
      if (candidates.length === 0) return new Map();
      const differing = groupByPayment(await differences.ofPayments(candidates.map(({ paymentId }) => paymentId)));
      return new Map(
        candidates.flatMap(({ paymentId, rail, day }): [string, ReconciledBy][] => {
          const found = reconciledBy(
            day,
            (differing.get(paymentId) ?? []).filter((one) => one.rail === rail),
          );
          return found === undefined ? [] : [[paymentId, found]];
        }),
      );
    },
  };
}

/** Undefined while something of it is open. */
function reconciledBy(day: Reconciliation | undefined, differences: readonly DifferenceDocument[]): ReconciledBy | undefined {
  const explainedMs = differences.map(({ explained_at: at }) => at?.getTime());
  if (explainedMs.includes(undefined)) return undefined;
  if (explainedMs.length > 0) return { atMs: Math.max(...explainedMs.map((ms) => ms ?? 0)), by: 'operator' };
  const atMs = day?.result?.comparedAtMs;
  return atMs === undefined ? undefined : { atMs, by: 'system' };
}

function groupByPayment(differences: readonly DifferenceDocument[]): Map<string, DifferenceDocument[]> {
  const groups = new Map<string, DifferenceDocument[]>();
  for (const one of differences) groups.set(one.payment_id, [...(groups.get(one.payment_id) ?? []), one]);
  return groups;
}
