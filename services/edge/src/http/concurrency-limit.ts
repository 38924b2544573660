/**
 * What a queue may add to the time that the work itself takes: so much, and a share of that time, within which it varies by
 * itself.
 */
const QUEUE_MS = 40;
const QUEUE_SHARE = 0.5;
/** A window ends when so much time has passed and so many requests have both begun and ended in it. */
const WINDOW_MS = 100;
const WINDOW_REQUESTS = 20;
/** Of more than so many in a window the last ones are looked at. */
const SAMPLES_MAX = 256;
/** The time of the work itself is measured anew when it has not been seen for so long. */
const BASE_MS = 10_000;
/** Fewer than this share of what has been finished before means that the work has changed: its time is measured anew at once. */
const COLLAPSED = 0.5;
/** How much a limit grows that is needed: where a queue begins to show, and where there is none. */
const GROWTH = 1.25;
const GROWTH_WITHOUT_QUEUE = 1.5;
/** A time within this of the work's own shows no queue. */
const NO_QUEUE = 1.2;
/** One window takes away no more than this. */
const SHRINKING_MAX = 0.5;
/** While the time of the work itself is measured no fewer than this are let in. */
const PROBE_MIN = 8;

/** How long fewer than half of the permits must have been taken before a whole burst is let in again. */
const CALM_MS = 200;

/** `burst`: so many are let in beyond the limit when they come all at once after a calm, and wait for each other. */
export type LimitBounds = { initial: number; min: number; max: number; burst: number };

/**
 * `requests` have begun and ended in the window, and took `samplesMs`; `ended` counts also those that had begun before.
 * `isNeeded`: at least half of the permits were taken at some time.
 */
type Window = { startMs: number; requests: number; samplesMs: number[]; ended: number; isNeeded: boolean };

/**
 * How many requests of one kind may be under way, adapted to what those behind can do. By Little's law as many are under way as
 * are finished in the time that one takes; more only wait for each other. So the limit is brought to where requests take half as
 * long again as the work itself does, and 40 ms. The time of the work itself is the least that a window's median has been of late
 * (a median, since some banks take far longer than others). As that can only be seen with no queue, the limit is lowered for a
 * window where it has not been seen for 10 s, or where the throughput has fallen by half: a bank that has become slow is told
 * from a queue that way, and gets as many requests under way as its slowness takes. (TCP Vegas, with BBR's probing; the 40 ms are
 * what CoDel calls the target.)
 *
 * The limit changes only while it matters: while at least half of it is taken. A burst is no overload: what comes at once after a
 * calm is let in beyond the limit, up to a bound, and its queue is worked off; what goes on coming is not. Times are monotonic
 * milliseconds.
 */
export class ConcurrencyLimit {
  readonly #bounds: LimitBounds;
  #limit: number;
  #inFlight = 0;
  #baseMs = Number.POSITIVE_INFINITY;
  #baseSeenMs = Number.NEGATIVE_INFINITY;
  #bestPerMs = 0;
  /** Set while the time of the work itself is measured: the limit to go back to. */
  #resumeAt: number | undefined;
  #window: Window | undefined;
  /** What is left of a burst, and since when it has been calm. */
  #burst: number;
  #calmSinceMs: number | undefined;

  constructor(bounds: LimitBounds) {
    this.#bounds = bounds;
    this.#limit = bounds.initial;
    this.#burst = bounds.burst;
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether `enter` would say no. */
  get isFull(): boolean {
    return this.#inFlight >= this.limit && this.#burst === 0;
  }

  /** Takes a permit, which `leave` gives back; false when there is none. */
  enter(nowMs: number): boolean {
    this.#noteCalm(nowMs);
    if (this.isFull) return false;
    if (this.#inFlight >= this.limit) this.#burst--;
    this.#inFlight++;
    this.#window ??= newWindow(nowMs);
    if (this.#inFlight * 2 >= this.#limit) this.#window.isNeeded = true;
    return true;
  }

  /**
   * Gives a permit back. `didWork` is false for what was refused before those behind had anything to do with it: it says nothing
   * about them.
   */
  leave(startedAtMs: number, nowMs: number, { didWork }: { didWork: boolean }): void {
    this.#inFlight--;
    this.#noteCalm(nowMs);
    const window = this.#window;
    if (!didWork || window === undefined) return;
    if (this.#resumeAt !== undefined && this.#inFlight >= this.#limit) {
      // Those that were let in before the limit was lowered are still ahead of those that are to be measured.
      window.startMs = nowMs;
      return;
    }
    window.ended++;
    if (startedAtMs >= window.startMs) {
      window.samplesMs[window.requests % SAMPLES_MAX] = nowMs - startedAtMs;
      window.requests++;
    }
    // Those that begin right after the limit has changed do not feel it yet: a window lasts for two generations of requests.
    const windowMs = Math.max(WINDOW_MS, 2 * (nowMs - startedAtMs));
    if (window.requests < WINDOW_REQUESTS || nowMs - window.startMs < windowMs) return;
    this.#adapt(window, nowMs);
    this.#window = newWindow(nowMs);
  }

  #noteCalm(nowMs: number): void {
    if (this.#inFlight * 2 >= this.#limit) {
      this.#calmSinceMs = undefined;
      return;
    }
    this.#calmSinceMs ??= nowMs;
    if (nowMs - this.#calmSinceMs < CALM_MS) return;
    this.#burst = this.#bounds.burst;
    // Too few come to measure the time of the work itself by; with a queue gone there is no need to, either.
    this.#limit = this.#resumeAt ?? this.#limit;
    this.#resumeAt = undefined;
  }

  #adapt({ startMs, samplesMs, ended, isNeeded }: Window, nowMs: number): void {
    const tookMs = medianOf(samplesMs);
    const perMs = ended / (nowMs - startMs);
    const isOld = nowMs - this.#baseSeenMs > BASE_MS;
    if (this.#resumeAt !== undefined || (isOld && !isNeeded)) {
      this.#limit = this.#resumeAt ?? this.#limit;
      this.#resumeAt = undefined;
      this.#bestPerMs = perMs;
      this.#see(tookMs, nowMs);
      return;
    }
    if (tookMs <= this.#baseMs) this.#see(tookMs, nowMs);
    const hasCollapsed = perMs < COLLAPSED * this.#bestPerMs;
    this.#bestPerMs = Math.max(this.#bestPerMs, perMs);
    if (!isNeeded) return;
    const wantedMs = this.#baseMs * (1 + QUEUE_SHARE) + QUEUE_MS;
    if (tookMs <= wantedMs) this.#grow(tookMs <= this.#baseMs * NO_QUEUE ? GROWTH_WITHOUT_QUEUE : GROWTH);
    else if (hasCollapsed) this.#measureBaseAt(this.#limit / 2);
    else if (isOld) this.#measureBaseAt((this.#limit * this.#baseMs) / tookMs / 2);
    else this.#limit = Math.max(this.#bounds.min, this.#limit * Math.max(wantedMs / tookMs, SHRINKING_MAX));
  }

  #see(baseMs: number, nowMs: number): void {
    this.#baseMs = baseMs;
    this.#baseSeenMs = nowMs;
  }

  #grow(factor: number): void {
    this.#limit = Math.min(this.#bounds.max, this.#limit * factor);
  }

  #measureBaseAt(limit: number): void {
    this.#resumeAt = this.#limit;
    this.#limit = Math.min(this.#limit, Math.max(PROBE_MIN, limit));
  }
}

function newWindow(startMs: number): Window {
  return { startMs, requests: 0, samplesMs: [], ended: 0, isNeeded: false };
}

function medianOf(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
