/** Indonesia's western time has been UTC+7 without daylight saving since 1964. */
export const JAKARTA_OFFSET_MS = 7 * 3_600_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The date in Asia/Jakarta as YYYYMMDD (merchant-api.md, access token signature). */
export function jakartaDay(nowMs: number): string {
  return new Date(nowMs + JAKARTA_OFFSET_MS).toISOString().slice(0, 10).replaceAll('-', '');
}

/** `d M Y H:i:s` in Asia/Jakarta, for instance "21 Nov 2026 15:04:05": the timestamp of a webhook body (contract §10). */
export function jakartaTimestamp(nowMs: number): string {
  const local = new Date(nowMs + JAKARTA_OFFSET_MS);
  const day = String(local.getUTCDate()).padStart(2, '0');
  return `${day} ${MONTHS[local.getUTCMonth()]} ${local.getUTCFullYear()} ${local.toISOString().slice(11, 19)}`;
}

/** ISO 8601 with the offset of Asia/Jakarta and without milliseconds, as SNAP's X-TIMESTAMP. */
export function jakartaIso(nowMs: number): string {
  return `${new Date(nowMs + JAKARTA_OFFSET_MS).toISOString().slice(0, 19)}+07:00`;
}

/**
 * `Y-m-d H:i:s` in Asia/Jakarta, for instance "2026-11-21 15:04:05": times within the webhooks of payment links
 * (merchant-api.md).
 */
export function jakartaDateTime(nowMs: number): string {
  return new Date(nowMs + JAKARTA_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}
