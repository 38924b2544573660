/** ISO 8601 in UTC with milliseconds (contract §2). */
export function iso(ms: bigint): string {
  return new Date(Number(ms)).toISOString();
}

/** The same; null where there is none. */
export function isoOrNull(ms: bigint | undefined): string | null {
  return ms === undefined ? null : iso(ms);
}
