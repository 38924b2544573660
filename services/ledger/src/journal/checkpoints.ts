import { type Clock, checkpointText, type KeyedChain } from '@gerbang/core';
import type { Logger } from '@gerbang/runtime';

/** Signed lines in the log stream, where the database does not reach: how far a partition's journal went, and its chain there. */
export type Checkpoints = {
  /** Writes the last line and no more. */
  close(): void;
};

/** `standing` is the last durable batch. The first line comes with the opening, the next ones every `everyMs` of new batches. */
export function startCheckpoints(options: {
  partition: string;
  chain: KeyedChain;
  standing: () => Standing;
  everyMs: number;
  clock: Clock;
  log: Logger;
}): Checkpoints {
  const { partition, chain, standing, clock, log } = options;
  let writtenSeq = 0n;
  const write = () => {
    const { seq, mac } = standing();
    if (seq === writtenSeq) return;
    const checkpoint = chain.checkpoint(seq, mac, new Date(clock.now()));
    log.always({ partition, seq: String(seq), checkpoint: checkpointText(checkpoint) }, 'journal checkpoint');
    writtenSeq = seq;
  };
  write();
  const timer = setInterval(write, options.everyMs).unref();
  return {
    close() {
      clearInterval(timer);
      write();
    },
  };
}

/** The last durable batch of a partition, and where the chain stands after it. */
export type Standing = { seq: bigint; mac: string };
