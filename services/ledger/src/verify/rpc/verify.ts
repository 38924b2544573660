import type { Context } from '../../context.ts';
import { DIFFERENCES_MAX, type Verification, verifyPartition } from '../verify-partition.ts';

/**
 * Rebuilds every partition from the journal alone and compares: balances in memory and projected, the posting keys, the sequence, the sums.
 * Of each partition everything is as of one sequence number, while postings go on. Refusals: not_owner (another instance holds a partition), unavailable, timeout.
 */
export async function verify(context: Context, signal: AbortSignal) {
  const verifications: Verification[] = [];
  for (const { name } of (await context.partitions.topology()).partitions) {
    const partition = await context.partitions.get(name, signal);
    verifications.push(await verifyPartition(context, partition, signal));
  }
  return {
    postings: verifications.reduce((sum, one) => sum + one.postings, 0n),
    sumSen: verifications.reduce((sum, one) => sum + one.sumSen, 0n),
    differences: verifications.flatMap((one) => one.differences).slice(0, DIFFERENCES_MAX),
    balances: verifications.flatMap((one) => one.balances),
  };
}
