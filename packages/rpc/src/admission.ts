import { type Refusal, refuse } from '@gerbang/core';

/** Calls that may run at once; one more is refused fast, so that a flood grows no queue. */
const IN_FLIGHT_MAX = 4_000;
/** Bytes of their requests, which are in memory from the first part that comes until the handler has ended. */
const REQUEST_BYTES_MAX = 128 * 1024 * 1024;
/** A caller may hold that many times what is still free: 80 % when it is the only one, 44 % each when there are two. */
const SHARE_OF_FREE = 4;

/** What a caller's calls hold. */
type Held = { calls: number; bytes: number };

/**
 * How many calls run at once and how many bytes their requests have, in all and for each caller. However much one caller sends,
 * some room is left for the others: the bound on a caller falls as room gets scarce, and one caller never gets all that is free.
 */
export class Admission {
  readonly #inFlightMax: number;
  readonly #requestBytesMax: number;
  readonly #byCaller = new Map<string, Held>();
  #inFlight = 0;
  #requestBytes = 0;

  constructor({ inFlightMax = IN_FLIGHT_MAX, requestBytesMax = REQUEST_BYTES_MAX } = {}) {
    this.#inFlightMax = inFlightMax;
    this.#requestBytesMax = requestBytesMax;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get requestBytes(): number {
    return this.#requestBytes;
  }

  /**
   * Takes a place, which `leave` gives back, and room for what has come of the request, which `release` does; or refuses, and
   * then the call has not begun.
   */
  enter(caller: string, bytes: number): Refusal | undefined {
    const held = this.#byCaller.get(caller) ?? { calls: 0, bytes: 0 };
    if (held.calls >= SHARE_OF_FREE * (this.#inFlightMax - this.#inFlight)) return overloaded();
    const refused = this.#take(held, bytes);
    if (refused !== undefined) return refused;
    if (held.calls === 0) this.#byCaller.set(caller, held);
    this.#inFlight++;
    held.calls++;
    return undefined;
  }

  /** Takes room for more of the request of a call that has a place; or refuses. */
  grow(caller: string, bytes: number): Refusal | undefined {
    return this.#take(this.#heldBy(caller), bytes);
  }

  /** The request is needed no more; its call still has its place. */
  release(caller: string, bytes: number): void {
    this.#requestBytes -= bytes;
    this.#heldBy(caller).bytes -= bytes;
  }

  leave(caller: string): void {
    this.#inFlight--;
    const held = this.#heldBy(caller);
    held.calls--;
    if (held.calls === 0) this.#byCaller.delete(caller);
  }

  #take(held: Held, bytes: number): Refusal | undefined {
    if (held.bytes + bytes > SHARE_OF_FREE * (this.#requestBytesMax - this.#requestBytes - bytes)) return overloaded();
    this.#requestBytes += bytes;
    held.bytes += bytes;
    return undefined;
  }

  #heldBy(caller: string): Held {
    const held = this.#byCaller.get(caller);
    if (held === undefined) throw new Error(`${caller} has no call here`);
    return held;
  }
}

function overloaded(): Refusal {
  return refuse('overloaded', { retryAfterMs: 1_000 });
}
