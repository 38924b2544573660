import { type BalanceOf, decide } from './decide.ts';
import { contentHash, type Entry, type KnownKey, type Posting, type Result } from './posting.ts';

/** What a posting comes to: a new entry; the answer its key has already; or its key was used for something else. */
export type Outcome =
  | { kind: 'new'; entry: Entry }
  | { kind: 'repeated'; earlier: { result: Result; atMs?: number } }
  | { kind: 'conflict' };

/**
 * Checks postings in turn, each against the balances as the earlier ones leave them, and changes nothing: the book takes the
 * entries in once they are durable. `known` are the keys among them that have been answered before. Replay first, rules second;
 * refusals are entries too and burn their key.
 */
export function decideBatch(
  durable: BalanceOf,
  known: ReadonlyMap<string, KnownKey>,
  postings: readonly Posting[],
): { outcomes: Outcome[]; entries: Entry[] } {
  const changed = new Map<string, bigint>();
  const fresh = new Map<string, Entry>();
  const balanceOf = (account: string) => changed.get(account) ?? durable(account);
  const outcomes = postings.map((posting): Outcome => {
    const hash = contentHash(posting);
    const earlier = fresh.get(posting.key) ?? known.get(posting.key);
    if (earlier !== undefined) return earlier.contentHash === hash ? { kind: 'repeated', earlier } : { kind: 'conflict' };
    const { legs, result } = decide(posting, balanceOf);
    for (const { account, sen } of legs) changed.set(account, balanceOf(account) + sen);
    const entry: Entry = { posting, contentHash: hash, legs, result };
    fresh.set(posting.key, entry);
    return { kind: 'new', entry };
  });
  return { outcomes, entries: [...fresh.values()] };
}
