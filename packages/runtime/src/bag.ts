/** `place` is where an item is in its bag, -1 while it is in none; the bag keeps it. */
export type Placed = { place: number };

/**
 * Items that enter and leave all the time, in no order. It is no Set, because of the collector: whenever V8 rehashes a Set, the
 * table that it leaves points to the new one, and once such a table is in the old generation it keeps alive what has long left,
 * until the next full collection.
 */
export class Bag<T extends Placed> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    item.place = this.#items.push(item) - 1;
  }

  /** Whether it was there. */
  delete(item: T): boolean {
    const { place } = item;
    if (this.#items[place] !== item) return false;
    const last = this.#items.pop();
    // The last one takes the place of the one that leaves.
    if (last !== undefined && last !== item) {
      this.#items[place] = last;
      last.place = place;
    }
    item.place = -1;
    return true;
  }

  clear(): void {
    for (const item of this.#items.splice(0)) item.place = -1;
  }

  /** Those that are there now; it must not change while they are gone through. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#items.values();
  }
}
