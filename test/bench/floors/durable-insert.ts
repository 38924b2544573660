import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@gerbang/testkit';
import { MongoClient } from 'mongodb';
import type { Turn } from '../harness/benchmark.ts';
import { callLoop } from '../harness/call-load.ts';
import { startServer } from '../harness/server-process.ts';

const EMBEDDED = path.resolve(import.meta.dirname, '../../../packages/embedded-mongo/src/main.ts');

/**
 * The driver's own insert, acknowledged by the majority with its journal: on MONGODB_URI, or on an embedded server in a process
 * of its own.
 */
export async function startBareInsert(resources: AsyncDisposableStack) {
  const client = await MongoClient.connect(process.env.MONGODB_URI || (await startEmbedded(resources)), {
    maxPoolSize: 64,
    writeConcern: { w: 'majority', journal: true },
  });
  const database = client.db(`bench_${process.pid}_floor`);
  resources.defer(async () => {
    await database.dropDatabase();
    await client.close();
  });
  const inserted = database.collection<{ _id: string; sen: number }>('inserted');
  let id = 0;
  return (options: { callers: number; durationMs: number }): Turn => ({
    durationMs: options.durationMs,
    measure: (durationMs) => callLoop(() => inserted.insertOne({ _id: `bare-${++id}`, sen: 1 }), { ...options, durationMs }),
  });
}

async function startEmbedded(resources: AsyncDisposableStack): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-bench-insert-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const port = await freePort();
  await startServer(resources, EMBEDDED, ['--data', folder, '--port', String(port)]);
  return `mongodb://127.0.0.1:${port}/?replicaSet=gerbang`;
}
