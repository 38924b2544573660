/** So many calls in a row without an answer mean that the acquirer is away. */
const UNANSWERED_MAX = 5;
/** Then it is tried again after so long, with one charge. */
const PAUSE_MS = 5_000;

/** Whether the acquirer answers. A charge that waits costs nothing; one without an answer is inquired until its outcome is known. */
export type Outage = {
  /** A payment was sent; whether there was an answer. */
  report(isAnswered: boolean): void;
  /** How many charges of plans may be under way now: none while the acquirer is away, one to try it, else all. */
  slots(): number;
};

/** `slots`: while the acquirer answers. `nowMs`: a monotonic clock of real time. */
export function watchOutage({ slots, nowMs = () => performance.now() }: { slots: number; nowMs?: () => number }): Outage {
  let unanswered = 0;
  let triedAtMs = 0;
  return {
    report(isAnswered) {
      unanswered = isAnswered ? 0 : unanswered + 1;
      triedAtMs = nowMs();
    },
    slots() {
      if (unanswered < UNANSWERED_MAX) return slots;
      return nowMs() >= triedAtMs + PAUSE_MS ? 1 : 0;
    },
  };
}
