/** Access tokens live this long (contract §3). */
export const TOKEN_LIFE_MS = 900_000;

/** A key is published this long before it signs, so that every replica and every edge knows it by then. */
export const PUBLISHED_BEFORE_MS = 60_000;

/** How far clocks of replicas may be apart. */
const CLOCK_SKEW_MS = 60_000;

/** When a key was made and from when on it signs, Unix milliseconds of real time. */
export type ScheduledKey = { seq: number; signsFromMs: number };

/** The key that signs now: the newest whose time has come. Keys come in the order of their numbers. */
export function signingKeyAt<K extends ScheduledKey>(keys: readonly K[], nowMs: number): K | undefined {
  return keys.findLast((key) => key.signsFromMs <= nowMs);
}

/**
 * The key to make now, if it is time to: the very first signs at once, each other one takes over after `rotationMs`, published
 * before.
 */
export function nextKey(keys: readonly ScheduledKey[], rotationMs: number, nowMs: number): ScheduledKey | undefined {
  const newest = keys.at(-1);
  if (newest === undefined) return { seq: 1, signsFromMs: nowMs };
  const makeFromMs = newest.signsFromMs + rotationMs - PUBLISHED_BEFORE_MS;
  return nowMs < makeFromMs ? undefined : { seq: newest.seq + 1, signsFromMs: nowMs + PUBLISHED_BEFORE_MS };
}

/** Keys that no living token can have been signed with: their successor has signed for longer than a token lives. */
export function expiredKeys<K extends ScheduledKey>(keys: readonly K[], nowMs: number): K[] {
  return keys.filter((_, i) => {
    const successor = keys[i + 1];
    return successor !== undefined && successor.signsFromMs + TOKEN_LIFE_MS + CLOCK_SKEW_MS < nowMs;
  });
}
