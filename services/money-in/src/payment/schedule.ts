/** A payment whose process has died is taken up again this long after its last step. */
export const RESUME_AFTER_MS = 5_000;
