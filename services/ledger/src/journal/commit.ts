import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@gerbang/runtime';
import { isDuplicateKey } from '@gerbang/store';
import type { Batch } from '../posting/posting.ts';
import type { Journal } from './journal.ts';

const RETRY_FIRST_MS = 20;
const RETRY_MAX_MS = 500;

/**
 * How a batch's insertion ended: written; an earlier writer's batch stands in its place; or a later writer has taken the
 * partition over.
 */
export type Committed = { outcome: 'written' } | { outcome: 'overtaken'; by: Batch } | { outcome: 'fenced'; by: Batch };

/**
 * Appends the batch and knows for sure what became of it (architecture §4, lost answers): inserts the identical document again
 * until it is acknowledged or its place is taken, then reads who took it. Throws only when `signal` aborts, with the outcome
 * open.
 */
export async function commit(journal: Journal, batch: Batch, options: { signal: AbortSignal; log: Logger }): Promise<Committed> {
  const { signal, log } = options;
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_MAX_MS)) {
    signal.throwIfAborted();
    try {
      await journal.append(batch);
      return { outcome: 'written' };
    } catch (error) {
      if (isDuplicateKey(error)) {
        const found = await journal.readNow(batch.partition, batch.seq).catch((cause: unknown) => {
          log.warn({ err: cause, partition: batch.partition, seq: String(batch.seq) }, 'could not read the journal');
        });
        if (found?.batchId === batch.batchId) return { outcome: 'written' };
        if (found !== undefined) return { outcome: found.epoch < batch.epoch ? 'overtaken' : 'fenced', by: found };
      } else {
        log.warn({ err: error, partition: batch.partition, seq: String(batch.seq) }, 'the journal did not acknowledge a batch');
      }
    }
    await sleep(waitMs * (0.5 + Math.random()), undefined, { signal });
  }
}
