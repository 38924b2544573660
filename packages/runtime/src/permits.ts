/** Why there is no permit: the key has its share already, or all are taken. */
export type PermitRefusal = 'share' | 'all';

/** Permits for what many callers want at once. One that was taken has to be given back, once. */
export type Permits = {
  /** Takes so many permits (1 unless told) for the key, all or none; gives why not where there are too few. */
  take(key: string, count?: number): PermitRefusal | undefined;
  /** Gives back what the key has taken. */
  give(key: string, count?: number): void;
  readonly taken: number;
};

/**
 * At most `max` permits, and `keyMax` a key. Beyond that a key never holds more than are still free, so a few greedy keys leave
 * some for others (dynamic thresholds, Choudhury and Hahne 1998). Only keys that hold something are remembered, so there are at
 * most `max` of them.
 */
export function createPermits({ max, keyMax }: { max: number; keyMax: number }): Permits {
  const held = new Map<string, number>();
  let taken = 0;
  return {
    get taken() {
      return taken;
    },
    take(key, count = 1) {
      const free = max - taken;
      if (count > free) return 'all';
      const own = (held.get(key) ?? 0) + count;
      if (own > keyMax || own > free) return 'share';
      held.set(key, own);
      taken += count;
      return undefined;
    },
    give(key, count = 1) {
      const left = (held.get(key) ?? 0) - count;
      if (left < 0) throw new Error('more permits are given back than were taken');
      if (left === 0) held.delete(key);
      else held.set(key, left);
      taken -= count;
    },
  };
}
