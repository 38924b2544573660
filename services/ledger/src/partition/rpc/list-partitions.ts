import type { Context } from '../../context.ts';

/** All partitions with who claimed them last, and the instances that run. No refusals of its own. */
export async function listPartitions({ partitions }: Pick<Context, 'partitions'>) {
  const topology = await partitions.topology();
  return { partitions: [...topology.partitions], instances: [...topology.instances] };
}
