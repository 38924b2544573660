import { hash } from 'node:crypto';

/** The id of what a posting did to an account, the same for ever; it tells nothing of the journal. */
export function entryId(postingId: string, account: string): string {
  return hash('sha256', `${postingId}\n${account}`, 'hex').slice(0, 32);
}
