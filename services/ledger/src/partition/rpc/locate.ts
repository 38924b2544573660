import { RefusalError, refuse, refuseField } from '@gerbang/core';
import type { LocateRequest } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { Context } from '../../context.ts';
import { PARTITION } from '../name.ts';
import { addressFor } from '../spread.ts';

/**
 * Where calls about a partition go, as the database has it: its owner, or who takes it over. Refusals: validation, unavailable
 * (no instance runs).
 */
export async function locate({ partitions }: Pick<Context, 'partitions'>, { partition }: LocateRequest) {
  if (!PARTITION.test(partition)) throw new RefusalError(refuseField('partition', 'is not the name of a partition'));
  const topology = await partitions.topology();
  const address = addressFor(partition, topology);
  if (address === undefined) throw new RefusalError(refuse('unavailable', { retryAfterMs: 200 }));
  return { address, instanceAddresses: topology.instances.map((instance) => instance.address) };
}
