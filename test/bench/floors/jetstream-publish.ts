import { startTestNats } from '@gerbang/testkit';
import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Turn } from '../harness/benchmark.ts';
import { callLoop } from '../harness/call-load.ts';

const SUBJECT = 'bench.floor';
/** About what an event of ours has. */
const PAYLOAD = Buffer.alloc(400, 'x');

/** The client's own publish to a stream of file storage, each message acknowledged. */
export async function startBarePublish(resources: AsyncDisposableStack) {
  const server = await startTestNats();
  resources.defer(() => server.stop());
  const connection = await connect({ servers: server.url });
  resources.defer(() => connection.close());
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'bench', subjects: [SUBJECT], storage: StorageType.File });
  const client = jetstream(connection);
  return (options: { callers: number; durationMs: number }): Turn => ({
    durationMs: options.durationMs,
    measure: (durationMs) => callLoop(() => client.publish(SUBJECT, PAYLOAD), { ...options, durationMs }),
  });
}
