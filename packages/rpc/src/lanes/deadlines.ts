import { Bag, type Placed } from '@gerbang/runtime';

/** Sweeps are at least that far apart, so a deadline is noticed at most this much too late. */
const RESOLUTION_MS = 10;
/** Node's timers take no more than 2^31 - 1 ms; a deadline further off is looked at again meanwhile. */
const SWEEP_EVERY_MS = 60_000;

type Watched = Placed & { readonly deadlineMs: number };

/**
 * Calls with a deadline each (`performance.now()` milliseconds), watched with one timer for all of them: it is set to the
 * earliest deadline and then looks through all that are open. Most calls end long before, so a sweep is rare and a call costs an
 * insertion and a removal.
 */
export class Deadlines<T extends Watched> {
  readonly #open = new Bag<T>();
  readonly #expire: (item: T) => void;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(expire: (item: T) => void) {
    this.#expire = expire;
  }

  get size(): number {
    return this.#open.size;
  }

  add(item: T): void {
    this.#open.add(item);
    if (item.deadlineMs < this.#dueMs) this.#arm(item.deadlineMs, performance.now());
  }

  delete(item: T): void {
    this.#open.delete(item);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#open.clear();
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
    // One that expires may end others.
    for (const item of [...this.#open]) {
      if (item.deadlineMs <= nowMs && this.#open.delete(item)) this.#expire(item);
    }
    for (const { deadlineMs } of this.#open) nextMs = Math.min(nextMs, deadlineMs);
    if (nextMs < this.#dueMs) this.#arm(Math.max(nextMs, nowMs + RESOLUTION_MS), nowMs);
  };
}
