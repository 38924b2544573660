import { hash } from 'node:crypto';

/** The ledger partition of a new merchant: even over many merchants, and the same when the creation is repeated. */
export function partitionFor(merchantId: string, partitions: readonly string[]): string {
  const place = Number.parseInt(hash('sha256', merchantId, 'hex').slice(0, 12), 16) % partitions.length;
  const partition = partitions[place];
  if (partition === undefined) throw new Error('there is no partition for new merchants');
  return partition;
}
