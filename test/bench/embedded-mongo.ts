import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@gerbang/testkit';
import { type Collection, MongoClient } from 'mongodb';
import type { Benchmark, Turn } from './harness/benchmark.ts';
import { callLoop } from './harness/call-load.ts';
import { type ServerProcess, startServer } from './harness/server-process.ts';

const CONNECTIONS = 64;
const MEASURED_MS = 3_000;
const SEEDED = 20_000;
const DOCUMENTS = 1_000_000;
const BATCH = 1_000;

type Doc = { _id: number | string; account?: string; amount?: number; n?: number; text?: string };
type Running = ServerProcess & { uri: string; stop(): Promise<void> };

/**
 * Durable inserts, finds, a hot document and a large collection: the embedded MongoDB through the unmodified driver; the bars are
 * of issue 4.
 */
export const embeddedMongo: Benchmark = {
  name: 'embedded-mongo',
  about: 'the embedded MongoDB through the driver, beside a server that speaks the protocol and stores nothing',
  needs: 'two minutes',
  rounds: 3,
  bars: [
    { name: 'inserts', figure: 'inserts.perSecond', min: 10_000 },
    { name: 'inserts to the null server', figure: 'inserts.perSecond', over: 'null server.perSecond', min: 0.5 },
    { name: 'lone insert, p50 ms', figure: 'lone insert.p50Ms', max: 1 },
    { name: 'find by _id', figure: 'find by _id.perSecond', min: 10_000 },
    { name: 'find by index', figure: 'find by index.perSecond', min: 10_000 },
    { name: 'hot document', figure: 'hot document.perSecond', min: 5_000 },
    { name: 'insertMany, documents', figure: 'a million.insertManyPerSecond', min: 40_000 },
    { name: 'opening a million documents, ms', figure: 'a million.openMs', max: 2_000 },
    { name: 'memory with a million documents, MiB', figure: 'a million.peakRssMiB', max: 300 },
  ],
  async prepare(resources) {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'gerbang-bench-mongo-'));
    resources.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    const server = await startEmbedded(resources, path.join(dataDir, 'operations'));
    const nothing = await startNullServer(resources);
    const client = await connect(server.uri, CONNECTIONS);
    resources.defer(() => client.close());
    const floor = await connect(nothing.uri, CONNECTIONS);
    resources.defer(() => floor.close());
    const seeded = client.db('bench').collection<Doc>('seeded');
    await seeded.createIndex({ account: 1 });
    await seeded.insertMany(Array.from({ length: SEEDED }, (_, n) => document(`seed ${n}`, n)));
    const hot = client.db('bench').collection<Doc>('hot');
    await hot.insertOne({ _id: 'hot', n: 0 });
    const plain = client.db('bench').collection<Doc>('plain');
    const seed = () => Math.floor(Math.random() * SEEDED);
    return {
      floors: { 'null server': repeated(insertInto(floor.db('bench').collection<Doc>('plain'))) },
      subjects: {
        inserts: repeated(insertInto(plain)),
        'find by _id': repeated(() => seeded.findOne({ _id: `seed ${seed()}` })),
        'find by index': repeated(() => seeded.findOne({ account: `account ${seed()}` })),
        'hot document': repeated(() => hot.findOneAndUpdate({ _id: 'hot' }, { $inc: { n: 1 } })),
        'lone insert': repeated(insertInto(plain), 1),
      },
      once: { 'a million': () => measureMillion(resources, path.join(dataDir, 'million')) },
    };
  },
};

function repeated(call: () => Promise<unknown>, callers = CONNECTIONS): Turn {
  return { durationMs: MEASURED_MS, measure: (durationMs) => callLoop(call, { callers, durationMs }) };
}

let id = 0;

function insertInto(collection: Collection<Doc>): () => Promise<unknown> {
  return () => {
    id++;
    return collection.insertOne(document(id, id));
  };
}

/** A collection of a million documents: written by insertMany, then opened by a new process and used. */
async function measureMillion(resources: AsyncDisposableStack, dataDir: string) {
  const first = await startEmbedded(resources, dataDir);
  let client = await connect(first.uri, 1);
  const startedMs = performance.now();
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const documents = Array.from({ length: BATCH }, (_, n) => document(from + n, from + n));
    await client.db('bench').collection<Doc>('million').insertMany(documents);
  }
  const insertManyPerSecond = (DOCUMENTS / (performance.now() - startedMs)) * 1_000;
  await client.close();
  await first.stop();

  const again = await startEmbedded(resources, dataDir);
  client = await connect(again.uri, CONNECTIONS);
  const million = client.db('bench').collection<Doc>('million');
  const counted = await million.countDocuments({});
  if (counted !== DOCUMENTS) throw new Error(`${counted} documents are there instead of ${DOCUMENTS}`);
  const any = () => Math.floor(Math.random() * DOCUMENTS);
  await Promise.all([
    callLoop(() => million.findOne({ _id: any() }), { callers: CONNECTIONS, durationMs: MEASURED_MS }),
    (async () => {
      let seen = 0;
      for await (const _ of million.find({}, { batchSize: 5_000 })) seen++;
      if (seen !== DOCUMENTS) throw new Error(`a walk met ${seen} of ${DOCUMENTS} documents`);
    })(),
  ]);
  const peakMiB = peakRssMiB(again.pid);
  await client.close();
  await again.stop();
  return { insertManyPerSecond, openMs: again.readyMs, peakRssMiB: peakMiB };
}

const document = (id: number | string, n: number): Doc => ({ _id: id, account: `account ${n}`, amount: n, text: 'x'.repeat(40) });

const connect = (uri: string, maxPoolSize: number) =>
  MongoClient.connect(uri, { maxPoolSize, minPoolSize: maxPoolSize, writeConcern: { w: 'majority', journal: true } });

/** The most memory a process has had so far; Linux alone tells it. */
function peakRssMiB(pid: number): number {
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
}

async function startEmbedded(resources: AsyncDisposableStack, dataDir: string): Promise<Running> {
  const port = await freePort();
  const main = path.resolve(import.meta.dirname, '../../packages/embedded-mongo/src/main.ts');
  const server = await startServer(resources, main, ['--data', dataDir, '--port', String(port)]);
  return { ...server, uri: addressOf(port) };
}

async function startNullServer(resources: AsyncDisposableStack): Promise<Running> {
  const port = await freePort();
  const server = await startServer(resources, path.join(import.meta.dirname, 'floors/null-mongo.ts'), [String(port)]);
  return { ...server, uri: addressOf(port) };
}

const addressOf = (port: number) => `mongodb://127.0.0.1:${port}/?replicaSet=gerbang`;
