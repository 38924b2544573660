import { Gauge, type Registry } from '@gerbang/runtime';
import type { Days } from './days.ts';
import type { Differences } from './differences.ts';

/** Registers what operators watch; the database is asked whenever the metrics are read. */
export function registerMetrics(
  registry: Registry,
  { rails, days, differences }: { rails: ReadonlyMap<string, unknown>; days: Days; differences: Differences },
): void {
  new Gauge({
    name: 'gerbang_reconciliation_differences',
    help: "Open differences between a rail's books and our payments",
    labelNames: ['rail', 'kind'],
    registers: [registry],
    async collect() {
      for (const rail of rails.keys())
        for (const [kind, count] of Object.entries(await differences.countOpen(rail))) this.set({ rail, kind }, count);
    },
  });
  new Gauge({
    name: 'gerbang_reconciliation_last_success_timestamp_seconds',
    help: 'When the newest day of a rail that was compared was finished, business time',
    labelNames: ['rail'],
    registers: [registry],
    async collect() {
      for (const rail of rails.keys()) {
        const lastMs = await days.lastSuccessMs(rail);
        if (lastMs !== undefined) this.set({ rail }, lastMs / 1_000);
      }
    },
  });
}
