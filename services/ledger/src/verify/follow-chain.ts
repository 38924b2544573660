import { type Checkpoint, type KeyedChain, NO_LINK } from '@gerbang/core';
import { linkProblem, macAfter } from '../journal/chain.ts';
import type { Standing } from '../journal/checkpoints.ts';
import { type Batch, contentHash } from '../posting/posting.ts';
import type { Differ } from './rebuild.ts';

/** Batches in a row that carry no link. */
export type Unlinked = { firstSeq: bigint; lastSeq: bigint };

/** Follows a journal's chain from its first batch on. */
export type ChainFollower = {
  take(batch: Batch): void;
  /** After the last batch. `standing`: the writer's own, which it has not read from the journal. */
  end(standing: Standing): void;
  /** How many checkpoints the journal agrees with so far. */
  agreed(): bigint;
};

/**
 * Differences: a link that does not hold or is of an unknown key, a posting that is not what its content hash says, a checkpoint
 * that is not genuine or says something else. Batches without a link are no difference: the next link vouches for what they were
 * when it was made, and `onUnlinked` is called with each run of them.
 */
export function followChain(
  chain: KeyedChain,
  checkpoints: readonly Checkpoint[],
  differ: Differ,
  onUnlinked: (run: Unlinked) => void,
): ChainFollower {
  const genuine = checkpoints.filter((checkpoint) => {
    if (chain.isGenuine(checkpoint)) return true;
    differ(`the checkpoint of ${checkpoint.at} at ${checkpoint.seq} is not signed with a key of this ledger`);
    return false;
  });
  const ahead = genuine.toSorted((a, b) => compare(BigInt(a.seq), BigInt(b.seq)));
  let agreed = 0n;
  let standing: Standing = { seq: 0n, mac: NO_LINK };
  let run: Unlinked | undefined;
  const endRun = () => {
    if (run !== undefined) onUnlinked(run);
    run = undefined;
  };
  const compareCheckpoints = () => {
    for (let next = ahead[0]; next !== undefined && BigInt(next.seq) <= standing.seq; next = ahead[0]) {
      ahead.shift();
      if (BigInt(next.seq) === standing.seq && next.mac === standing.mac) agreed++;
      else differ(`at ${next.seq} the journal is not what the checkpoint of ${next.at} says`);
    }
  };
  return {
    take(batch) {
      if (batch.link === undefined) run = { firstSeq: run?.firstSeq ?? batch.seq, lastSeq: batch.seq };
      else {
        endRun();
        const problem = linkProblem(chain, standing.mac, batch);
        if (problem !== undefined) differ(problem);
      }
      checkContent(batch, differ);
      // After the link that is stored, also where it does not hold, so that one change is one difference.
      standing = { seq: batch.seq, mac: macAfter(standing.mac, batch) };
      compareCheckpoints();
    },
    end(own) {
      endRun();
      if (standing.seq === own.seq && standing.mac !== own.mac) differ(`at ${own.seq} the chain is not the writer's`);
      for (const { seq, at } of ahead)
        differ(`the journal ends at ${standing.seq}, the checkpoint of ${at} says that it had come to ${seq}`);
    },
    agreed: () => agreed,
  };
}

function checkContent({ seq, entries }: Batch, differ: Differ): void {
  for (const entry of entries) {
    if (contentHash(entry.posting) !== entry.contentHash)
      differ(`posting ${entry.posting.key} at ${seq} is not what its content hash says`);
  }
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
