import type { KeyedChain } from '@gerbang/core';
import type { Logger } from '@gerbang/runtime';
import { linkProblem, macAfter, type Unproven } from '../journal/chain.ts';
import type { Metrics } from '../metrics.ts';
import type { Batch } from '../posting/posting.ts';

/** Batches that an operator vouches for: by name, or all that carry no link, while a version before the chain runs too. */
export type AcceptedBatches = { partition: string; firstSeq: bigint; lastSeq: bigint } | 'unlinked';

/** Where a writer begins to check. */
export type ProvenUpTo = { mac: string; hasLinks: boolean };

/** Checks the batches that a writer takes from the journal, before they become balances. */
export type Proof = {
  /** Checks the next batch in order. */
  take(batch: Batch): void;
  /** Tells what `take` has found. Throws when there is a batch among it that must not become balances. */
  confirm(): void;
  /** Takes a batch that this writer itself has linked. */
  takeOwn(batch: Batch): void;
  /** Where the chain stands after the last batch. */
  mac(): string;
};

/** Runs of one kind that are told; what is refused is refused as a whole. */
const TOLD_MAX = 100;

const LINES = {
  refused: 'the partition is refused: its journal is not what a ledger wrote',
  accepted: 'unproven batches are accepted as configured',
  before_chain: 'the journal begins with batches of a version before the chain',
} as const;

type Run = { firstSeq: bigint; lastSeq: bigint; problem: string | undefined };

export function startProof(options: {
  partition: string;
  chain: KeyedChain;
  from: ProvenUpTo;
  accepted: readonly AcceptedBatches[];
  metrics: Metrics;
  log: Logger;
}): Proof {
  const { partition, chain, metrics, log } = options;
  const isAccepted = ({ seq, link }: Batch) =>
    options.accepted.some((run) =>
      run === 'unlinked' ? link === undefined : run.partition === partition && run.firstSeq <= seq && seq <= run.lastSeq,
    );
  let { mac, hasLinks } = options.from;
  const found = new Map<Unproven, { batches: number; runs: Run[] }>();

  const note = (what: Unproven, seq: bigint, problem: string | undefined) => {
    const kind = found.get(what) ?? { batches: 0, runs: [] };
    found.set(what, kind);
    kind.batches++;
    const last = kind.runs.at(-1);
    if (last !== undefined && problem === undefined && last.problem === undefined && last.lastSeq === seq - 1n)
      last.lastSeq = seq;
    else if (kind.runs.length < TOLD_MAX) kind.runs.push({ firstSeq: seq, lastSeq: seq, problem });
  };
  const advance = (batch: Batch) => {
    // After the link that is stored, also where it does not hold, so that one change is told once.
    mac = macAfter(mac, batch);
    hasLinks ||= batch.link !== undefined;
  };
  return {
    take(batch) {
      const { seq } = batch;
      const problem = linkProblem(chain, mac, batch);
      if (problem !== undefined || batch.link === undefined) {
        const isBeforeChain = batch.link === undefined && !hasLinks;
        note(isBeforeChain ? 'before_chain' : isAccepted(batch) ? 'accepted' : 'refused', seq, problem);
      }
      advance(batch);
    },
    confirm() {
      for (const [what, { batches, runs }] of found) {
        metrics.unproven(partition, what, batches);
        const line = { partition, reason: runs.map(textOf).join('; ') };
        if (what === 'refused') log.error(line, LINES[what]);
        else log.warn(line, LINES[what]);
      }
      const refused = found.get('refused');
      found.clear();
      if (refused !== undefined) throw new UnprovenError(`${partition}: ${refused.runs.map(textOf).join('; ')}`);
    },
    takeOwn: advance,
    mac: () => mac,
  };
}

/** The journal has batches that the chain does not prove and no operator has accepted. */
export class UnprovenError extends Error {}

function textOf({ firstSeq, lastSeq, problem }: Run): string {
  return problem ?? `batches ${firstSeq} to ${lastSeq} carry no link of the chain`;
}
