/**
 * Business time, Unix milliseconds: real time plus an offset that only grows (contract §11). It rules expiry, settlement,
 * capture, plan cycles and retries; authentication always uses real time.
 */
export type Clock = {
  now(): number;
  /** Calls back whenever the offset has grown, so that timers look again; returns how to stop. */
  onAdvance(listener: () => void): () => void;
};

/** A clock that can be moved forward: in sandboxes and in tests. */
export type AdjustableClock = Clock & {
  offsetMs(): number;
  /** Takes a new offset; a smaller one is ignored. */
  setOffset(offsetMs: number): void;
};

/** Makes a clock on top of a source of real time (Date.now by default). */
export function createClock(realNow: () => number = Date.now, initialOffsetMs = 0): AdjustableClock {
  let offset = initialOffsetMs;
  const listeners = new Set<() => void>();
  return {
    now: () => realNow() + offset,
    offsetMs: () => offset,
    setOffset(offsetMs) {
      if (offsetMs <= offset) return;
      offset = offsetMs;
      for (const listener of listeners) listener();
    },
    onAdvance(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
