import type { Clock } from '@gerbang/core';
import type { Implementation } from '@gerbang/rpc';
import type { Closeable, Logger, Registry } from '@gerbang/runtime';
import type { OperatorGate } from '@gerbang/service/operators';
import { type Store, startDueTimer } from '@gerbang/store';
import { openClaims } from './claims.ts';
import { dayOf } from './day.ts';
import { openDays, RECONCILIATIONS } from './days.ts';
import { openDifferences } from './differences.ts';
import type { ReconciliationDocument } from './document.ts';
import { registerMetrics } from './metrics.ts';
import type { ReconciledRail } from './rail.ts';
import { createReconciled, type Reconciled } from './reconciled.ts';
import { reconciliationRpc } from './rpc.ts';
import { runDay } from './run-day.ts';

/** A service's reconciliation: what operators ask of it, and what its resources show. */
export type Reconciliations = Closeable & { implementation: Implementation; reconciled: Reconciled };

export type ReconciliationOptions = {
  store: Store;
  rails: readonly ReconciledRail[];
  clock: Clock;
  /** What operators' commands go through. */
  gate: OperatorGate;
  registry: Registry;
  log: Logger;
  /** How long a run that is silent keeps its day; for tests. */
  leaseMs?: number;
};

const LEASE_MS = 60_000;
/** Rails that one process compares at once. */
const CONCURRENCY = 2;

/**
 * Compares each rail with its payments once a business day, by timers that any number of replicas share. Closing it stops runs
 * under way, which begin anew elsewhere; it closes the histories of the rails.
 */
export async function openReconciliations(options: ReconciliationOptions): Promise<Reconciliations> {
  const { store, clock, gate, registry, log, leaseMs = LEASE_MS } = options;
  const rails = new Map(options.rails.map((rail) => [rail.name, rail]));
  const days = openDays(store);
  const differences = await openDifferences(store);
  const stopping = new AbortController();
  const context = { rails, days, differences, claims: openClaims(store), clock, log, stopping: stopping.signal, leaseMs };
  registerMetrics(registry, context);
  for (const rail of rails.keys()) await days.plan(rail, dayOf(clock.now()));
  const timer = await startDueTimer<ReconciliationDocument>({
    collection: store.collection<ReconciliationDocument>(RECONCILIATIONS),
    clock,
    log,
    leaseMs,
    concurrency: CONCURRENCY,
    handle: (document) => runDay(context, document),
  });
  return {
    implementation: reconciliationRpc({ rails, days, differences, clock, poke: () => timer.poke() }, gate),
    reconciled: createReconciled(context),
    async close() {
      stopping.abort();
      await timer.close();
      await Promise.all([...rails.values()].map(({ history }) => history.close()));
    },
  };
}
