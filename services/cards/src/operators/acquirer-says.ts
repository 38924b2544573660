import type { InquiryResult } from '@gerbang/rails/card';

/** What the acquirer says, in its own words, for operators. */
export function toSaid(said: InquiryResult): { acquirerSays: string; acquirerReason: string } {
  const isExplained = said.outcome === 'failed' || said.outcome === 'unknown';
  return { acquirerSays: said.outcome, acquirerReason: isExplained ? said.reason : '' };
}
