import { type Checkpoint, parseCheckpoint, RefusalError, refuse, refuseField } from '@gerbang/core';
import type { VerifyRequest } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Context } from '../../context.ts';
import { PARTITION } from '../../partition/name.ts';
import type { Page } from '../verifications.ts';
import { verifyPartition } from '../verify-partition.ts';

/** Each vouches for all before it, so the newest ones are enough. */
const CHECKPOINTS_MAX = 1_000;

/**
 * Rebuilds a partition only from the journal and compares: balances in memory and projected, entries and posting keys, the
 * sequence, the chain, the checkpoints that come with the first question, the sums; everything as of one sequence number, while
 * postings go on. A page of findings at a time; the last page has the totals. Refusals: validation (partition, cursor,
 * checkpoints), not_owner, unavailable (the partition has moved meanwhile, or too many
 * run), timeout.
 */
export async function verify(context: Context, request: VerifyRequest, signal: AbortSignal): Promise<Page> {
  const { partition: name, cursor } = request;
  if (!PARTITION.test(name)) throw new RefusalError(refuseField('partition', 'is not the name of a partition'));
  const { partitions, verifications } = context;
  if (cursor !== '') {
    const { partition, page } = verifications.next(name, cursor);
    return confirmed(context, partition, await page);
  }
  const checkpoints = readCheckpoints(request);
  const partition = await partitions.get(name, signal);
  return confirmed(context, partition, await verifications.begin(partition, verifyPartition(context, partition, checkpoints)));
}

function readCheckpoints({ checkpoints }: VerifyRequest): Checkpoint[] {
  if (checkpoints.length > CHECKPOINTS_MAX)
    throw new RefusalError(refuseField('checkpoints', `must be at most ${CHECKPOINTS_MAX}`));
  return checkpoints.map((text) => {
    const checkpoint = parseCheckpoint(text);
    if (checkpoint === undefined) throw new RefusalError(refuseField('checkpoints', 'has a line that is no checkpoint'));
    return checkpoint;
  });
}

/** What was found while another instance may have written says nothing. */
function confirmed({ partitions, verifications }: Context, partition: Parameters<typeof partitions.holds>[0], page: Page): Page {
  if (partitions.holds(partition)) return page;
  verifications.drop(partition);
  throw new RefusalError(refuse('unavailable', { message: 'the partition has moved; begin again' }));
}
