/** Text without control characters and bidirectional controls (contract §2), as the source of a regular expression. */
export const PLAIN_TEXT_PATTERN = '^[^\\u0000-\\u001F\\u007F\\u202A-\\u202E\\u2066-\\u2069]*$';
const PLAIN_TEXT = new RegExp(PLAIN_TEXT_PATTERN);

/** Whether a text has neither control characters nor bidirectional controls (contract §2). */
export function isPlainText(text: string): boolean {
  return PLAIN_TEXT.test(text);
}
