/** In this time a count falls to a third (1/e). */
const FADING_MS = 500;
/** What is left below this is nothing. */
const REST = 0.5;

/** Counts what has happened lately: each event is one at first and fades away. */
export class FadingCount {
  #count = 0;
  #countedMs = 0;

  /** `nowMs` by `performance.now()`. */
  add(nowMs: number): void {
    this.#count = this.at(nowMs) + 1;
    this.#countedMs = nowMs;
  }

  at(nowMs: number): number {
    if (this.#count === 0) return 0;
    const left = this.#count * Math.exp((this.#countedMs - nowMs) / FADING_MS);
    if (left >= REST) return left;
    this.#count = 0;
    return 0;
  }
}
