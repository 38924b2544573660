const TRACE_NUMBERS = 1_000_000;

/** What tells messages apart: the transmission time in UTC (field 7, MMDDhhmmss) and a trace number (field 11, 000001–999999). */
export type Stamp = { 7: string; 11: string };

/** Gives a stamp for each message. The numbers begin anywhere, so that a restart within a second does not repeat them. */
export function createStamp(now: () => number, first = Math.floor(Math.random() * TRACE_NUMBERS)): () => Stamp {
  let last = first;
  return () => {
    last = (last % (TRACE_NUMBERS - 1)) + 1;
    return { 7: transmissionTime(now()), 11: String(last).padStart(6, '0') };
  };
}

/** MMDDhhmmss in UTC. */
export function transmissionTime(atMs: number): string {
  return new Date(atMs).toISOString().replace(/[-:T]/g, '').slice(4, 14);
}
