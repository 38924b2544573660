import { isPlainText } from './plain-text.ts';

/** Longest URL that a merchant or a rail may give, and that a page leads to. */
export const URL_LENGTH_MAX = 2_048;

/**
 * What is wrong with a URL that a merchant gives, for the merchant; undefined where nothing is (contract §2): absolute, without user
 * information, blanks, backslashes, control characters and bidirectional controls. The parser forgives most of them, and a URL
 * that means something else than it says is refused instead.
 */
export function webUrlProblem(text: string, { httpAllowed }: { httpAllowed: boolean }): string | undefined {
  if (text.length > URL_LENGTH_MAX) return `must have at most ${URL_LENGTH_MAX} characters`;
  const scheme = httpAllowed ? /^https?:\/\/[^/\\]/i : /^https:\/\/[^/\\]/i;
  if (!scheme.test(text)) return httpAllowed ? 'must be an http or https URL' : 'must be an https URL';
  if (/[\s\p{Cc}\\]/u.test(text) || !isPlainText(text) || !URL.canParse(text)) return 'must be a valid URL';
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return 'must not carry credentials';
  return undefined;
}
