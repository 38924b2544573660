const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How long after the n-th attempt that left the outcome open the rail is asked again. */
const INQUIRY_DELAYS_MS = [1, 2, 3, 5, 10, 20, 30, 60, 120, 300].map((seconds) => seconds * SECOND);
const INQUIRY_DELAY_MAX_MS = 15 * MINUTE;

/** A transfer whose process has died is taken up again this long after its last step. */
export const RESUME_AFTER_MS = 8 * SECOND;

/** A rail that answers within this time, real time, spares the transfer a write; one that takes longer has it shown as pending meanwhile. */
export const SENT_AFTER_MS = 300;

/** A transfer that the rail could not settle for this long goes to the operators (architecture §5); inquiries go on. */
export const UNRESOLVED_AFTER_MS = 24 * 60 * MINUTE;

/** Delay before the next inquiry, when `inquiries` have left the outcome open. */
export function inquiryDelayMs(inquiries: number): number {
  return INQUIRY_DELAYS_MS[inquiries] ?? INQUIRY_DELAY_MAX_MS;
}
