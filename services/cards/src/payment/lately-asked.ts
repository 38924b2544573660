import type { Clock } from '@gerbang/core';

const LATELY_MS = 2_000;

/** The payments that this process has asked the acquirer about less than 2 s ago. */
export type LatelyAsked = { add(paymentId: string): void; has(paymentId: string): boolean };

/** Replicas do not share it: each of them asks once, and nothing is written for it. */
export function newLatelyAsked(clock: Clock): LatelyAsked {
  /** When, the longest ago first. */
  const askedAtMs = new Map<string, number>();
  const isLately = (atMs: number) => Math.abs(clock.now() - atMs) < LATELY_MS;
  return {
    add(paymentId) {
      for (const [id, atMs] of askedAtMs) {
        if (isLately(atMs)) break;
        askedAtMs.delete(id);
      }
      askedAtMs.delete(paymentId);
      askedAtMs.set(paymentId, clock.now());
    },
    has(paymentId) {
      const atMs = askedAtMs.get(paymentId);
      return atMs !== undefined && isLately(atMs);
    },
  };
}
