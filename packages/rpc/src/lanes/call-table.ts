/** A power of two. */
const SLOTS_MIN = 64;
/** 2^32 divided by the golden ratio: spreads ids that follow one another over all slots (Fibonacci hashing). */
const SPREAD = 0x9e37_79b1;

/**
 * Calls under way by their id, an unsigned 32-bit number. A Map would do, but for the collector: whenever V8 rehashes a Map,
 * which is every hundred calls or so as they come and go, the table that it leaves points to the new one. Once such a table is in
 * the old generation, it keeps all later ones alive, with the calls that were in them and all that these refer to, until the next
 * full collection. Here a slot that is left points to nothing.
 */
export class CallTable<T extends { readonly id: number }> {
  #slots: (T | undefined)[] = emptySlots(SLOTS_MIN);
  #shift = 32 - Math.log2(SLOTS_MIN);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): T | undefined {
    return this.#slots[this.#find(id)];
  }

  /** Adds a call, or replaces the one of its id. */
  add(call: T): void {
    const slot = this.#find(call.id);
    if (this.#slots[slot] === undefined) this.#size++;
    this.#slots[slot] = call;
    if (this.#size * 2 > this.#slots.length) this.#grow();
  }

  delete(id: number): void {
    let gap = this.#find(id);
    if (this.#slots[gap] === undefined) return;
    this.#size--;
    const mask = this.#slots.length - 1;
    // Those behind, up to the next empty slot, move up where they may, so that each is found without a gap on the way.
    for (let at = (gap + 1) & mask; ; at = (at + 1) & mask) {
      const call = this.#slots[at];
      if (call === undefined) break;
      const behindHome = (at - this.#home(call.id)) & mask;
      if (behindHome < ((at - gap) & mask)) continue;
      this.#slots[gap] = call;
      gap = at;
    }
    this.#slots[gap] = undefined;
  }

  /** All that are there now, in no order. */
  all(): T[] {
    return this.#slots.filter((call) => call !== undefined);
  }

  /** The slot of the id: where its call is, or would be. */
  #find(id: number): number {
    const mask = this.#slots.length - 1;
    let slot = this.#home(id);
    for (;;) {
      const call = this.#slots[slot];
      if (call === undefined || call.id === id) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #home(id: number): number {
    return Math.imul(id, SPREAD) >>> this.#shift;
  }

  #grow(): void {
    const calls = this.all();
    this.#slots = emptySlots(this.#slots.length * 2);
    this.#shift--;
    for (const call of calls) this.#slots[this.#find(call.id)] = call;
  }
}

function emptySlots<T>(count: number): (T | undefined)[] {
  return new Array<T | undefined>(count).fill(undefined);
}
