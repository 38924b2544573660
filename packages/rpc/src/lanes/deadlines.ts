/** Sweeps are at least that far apart, so a deadline is noticed at most this much too late. */
const RESOLUTION_MS = 10;
/** Node's timers take no more than 2^31 - 1 ms; a deadline further off is looked at again meanwhile. */
const SWEEP_EVERY_MS = 60_000;

/** `place` is where an item is among those that are open, -1 when it is not; whoever watches it keeps it. */
type Watched = { readonly deadlineMs: number; place: number };

/**
 * Calls with a deadline each (`performance.now()` milliseconds), watched with one timer for all of them: it is set to the earliest deadline and then
 * looks through all that are open. Most calls end long before, so a sweep is rare and a call costs an insertion and a removal. They are
 * in an array and no Set, for the reason that CallTable gives.
 */
export class Deadlines<T extends Watched> {
  #open: T[] = [];
  readonly #expire: (item: T) => void;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(expire: (item: T) => void) {
    this.#expire = expire;
  }

  get size(): number {
    return this.#open.length;
  }

  add(item: T): void {
    item.place = this.#open.push(item) - 1;
    if (item.deadlineMs < this.#dueMs) this.#arm(item.deadlineMs, performance.now());
  }

  delete(item: T): void {
    const { place } = item;
    if (place < 0 || this.#open[place] !== item) return;
    const last = this.#open.pop();
    // The last one takes the place of the one that leaves.
    if (last !== undefined && last !== item) {
      this.#open[place] = last;
      last.place = place;
    }
    item.place = -1;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#open = [];
  }

  #arm(dueMs: number, nowMs: number): void {
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    const waitMs = Math.min(Math.max(0, Math.ceil(dueMs - nowMs)), SWEEP_EVERY_MS);
    // Where this process itself stood still, answers that have come meanwhile are read first: they are in time for their callers.
    this.#timer = setTimeout(() => setImmediate(this.#sweep), waitMs);
    this.#timer.unref();
  }

  readonly #sweep = (): void => {
    const nowMs = performance.now();
    this.#dueMs = Number.POSITIVE_INFINITY;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const item of this.#open.filter(({ deadlineMs }) => deadlineMs <= nowMs)) {
      if (item.place < 0) continue;
      this.delete(item);
      this.#expire(item);
    }
    for (const { deadlineMs } of this.#open) nextMs = Math.min(nextMs, deadlineMs);
    if (nextMs < this.#dueMs) this.#arm(Math.max(nextMs, nowMs + RESOLUTION_MS), nowMs);
  };
}
