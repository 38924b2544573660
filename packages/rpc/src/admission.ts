import { type Refusal, refuse } from '@gerbang/core';

/** Calls that may run at once; one more is refused fast, so that a flood grows no queue. */
const IN_FLIGHT_MAX = 4_000;
/** A caller may hold that many times what is still free: 80 % when it is alone, 44 % each when there are two. */
const SHARE_OF_FREE = 4;

/**
 * How many calls run at once, in all and for each caller. However much one caller sends, some room is left for the others: the bound on a caller
 * falls as room gets scarce, and what is free never goes to one alone.
 */
export class Admission {
  readonly #max: number;
  readonly #byCaller = new Map<string, number>();
  #inFlight = 0;

  constructor(max = IN_FLIGHT_MAX) {
    this.#max = max;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Takes a place, which `leave` gives back; or refuses, and then the call has not begun. */
  enter(caller: string): Refusal | undefined {
    const held = this.#byCaller.get(caller) ?? 0;
    if (held >= SHARE_OF_FREE * (this.#max - this.#inFlight)) return refuse('overloaded', { retryAfterMs: 1_000 });
    this.#inFlight++;
    this.#byCaller.set(caller, held + 1);
    return undefined;
  }

  leave(caller: string): void {
    this.#inFlight--;
    const held = (this.#byCaller.get(caller) ?? 1) - 1;
    if (held === 0) this.#byCaller.delete(caller);
    else this.#byCaller.set(caller, held);
  }
}
