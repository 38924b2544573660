/** Random choices that a seed repeats. */
export type Random = {
  /** Whole, from 0 on, below `end`. */
  below(end: number): number;
  chance(share: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** Between `min` and `max` of what `make` makes. */
  many<T>(min: number, max: number, make: () => T): T[];
};

/** The generator known as mulberry32. */
export function seeded(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    chance: (share) => next() < share,
    pick: (items) => items[below(items.length)] ?? items[0],
    many: (min, max, make) => Array.from({ length: min + below(max - min + 1) }, make),
  };
}
