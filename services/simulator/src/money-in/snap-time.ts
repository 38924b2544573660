/** Asia/Jakarta, UTC+7. */
const OFFSET_MS = 7 * 3_600_000;

/**
 * A moment of business time as SNAP writes it, with milliseconds, which ISO 8601 allows: a payment right after its payment
 * request's expiry must not look as if it had come right before.
 */
export function snapMoment(ms: number): string {
  return `${new Date(ms + OFFSET_MS).toISOString().slice(0, 23)}+07:00`;
}
