/** Operators are alerted when an endpoint has failed for so long, and again after the same time. Business time. */
const ALERT_AFTER_MS = 60 * 60_000;
/** An endpoint with nothing to send is forgotten after so long without a failure. */
const FORGET_AFTER_MS = 24 * 60 * 60_000;

/** An endpoint that fails. All times are business time. */
export type FailingEndpoint = {
  endpoint: string;
  failingSinceMs: number;
  lastFailedAtMs: number;
  /** When operators were last alerted. */
  alertedAtMs: number | undefined;
};

/** What the attempts since the last write have shown of an endpoint. */
export type Observed = { failedFirstMs: number | undefined; failedLastMs: number | undefined; succeededMs: number | undefined };

/** What is observed after one more attempt. */
export function observe(before: Observed | undefined, acknowledged: boolean, atMs: number): Observed {
  if (acknowledged) return { failedFirstMs: undefined, failedLastMs: undefined, succeededMs: atMs };
  return { failedFirstMs: before?.failedFirstMs ?? atMs, failedLastMs: atMs, succeededMs: before?.succeededMs };
}

/** Whether operators have to be alerted now, if something is still to be sent to it. */
export function isAlertDue({ failingSinceMs, alertedAtMs }: FailingEndpoint, nowMs: number): boolean {
  const beforeMs = nowMs - ALERT_AFTER_MS;
  return failingSinceMs <= beforeMs && (alertedAtMs ?? 0) <= beforeMs;
}

/** Whether the endpoint can be forgotten, if nothing is to be sent to it. */
export function isOver({ lastFailedAtMs }: FailingEndpoint, nowMs: number): boolean {
  return nowMs - lastFailedAtMs >= FORGET_AFTER_MS;
}
