/** A summary covers so many of the newest attempts. */
const WINDOW = 200;
/** Endpoints remembered; those without an attempt for the longest time go first. */
const ENDPOINTS_MAX = 1_000;

/** The newest attempts of an endpoint in summary. */
export type EndpointSummary = { endpoint: string; attempts: number; successRatio: number; p50Ms: number; p99Ms: number };

/** The attempts of this process by endpoint. Its memory is bounded, however many endpoints there are. */
export type EndpointStats = {
  attempted(endpoint: string, acknowledged: boolean, durationMs: number): void;
  /** The endpoints that most need attention: those that fail most, then those with most attempts. */
  worst(count: number): EndpointSummary[];
};

type Window = { durations: number[]; acknowledged: boolean[]; next: number };

export function createEndpointStats(): EndpointStats {
  const windows = new Map<string, Window>();
  return {
    attempted(endpoint, acknowledged, durationMs) {
      const window = windows.get(endpoint) ?? { durations: [], acknowledged: [], next: 0 };
      // The map is in the order of the latest attempts.
      windows.delete(endpoint);
      windows.set(endpoint, window);
      window.durations[window.next] = durationMs;
      window.acknowledged[window.next] = acknowledged;
      window.next = (window.next + 1) % WINDOW;
      if (windows.size <= ENDPOINTS_MAX) return;
      for (const oldest of windows.keys()) {
        windows.delete(oldest);
        break;
      }
    },
    worst(count) {
      const all = [...windows].map(([endpoint, window]) => summaryOf(endpoint, window));
      return all.sort((a, b) => a.successRatio - b.successRatio || b.attempts - a.attempts).slice(0, count);
    },
  };
}

function summaryOf(endpoint: string, { durations, acknowledged }: Window): EndpointSummary {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  const good = acknowledged.filter((each) => each).length;
  return { endpoint, attempts: sorted.length, successRatio: good / sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) };
}
