import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@gerbang/testkit';
import { type Collection, MongoClient } from 'mongodb';

const CONNECTIONS = 64;
const RUN_MS = 3_000;
const WARM_MS = 1_000;
const TURNS = 3;
const DOCUMENTS = 1_000_000;
const BATCH = 1_000;

/** What issue 4 asks of the embedded server, client included, on two cores. */
const bars = {
  insertsPerSecond: { min: 10_000 },
  insertsShareOfNullServer: { min: 0.5 },
  loneInsertP50Ms: { max: 1 },
  findByIdPerSecond: { min: 10_000 },
  findByIndexPerSecond: { min: 10_000 },
  hotDocumentPerSecond: { min: 5_000 },
  insertManyDocumentsPerSecond: { min: 40_000 },
  openMillionMs: { max: 2_000 },
  millionPeakRssMiB: { max: 300 },
};

type Doc = { _id: number | string; account?: string; amount?: number; n?: number; text?: string };
type Running = { uri: string; pid: number; startedMs: number; stop(): Promise<void> };

/** Durable inserts, finds, a hot document and a large collection: the embedded MongoDB through the unmodified driver. */
export async function benchEmbeddedMongo(): Promise<object> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'gerbang-bench-mongo-'));
  try {
    const figures = { ...(await benchOperations(dataDir)), ...(await benchMillion(dataDir)) };
    return { figures, bars, failed: failedBars(figures) };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function benchOperations(dataDir: string) {
  const server = await startEmbedded(dataDir);
  const nothing = await startNullServer();
  const client = await connect(server.uri, CONNECTIONS);
  const floor = await connect(nothing.uri, CONNECTIONS);
  const inserts = client.db('bench').collection<Doc>('inserts');
  await inserts.createIndex({ account: 1 });
  await inserts.insertMany(Array.from({ length: 20_000 }, (_, n) => document(`seed ${n}`, n)));
  let id = 0;
  const insertInto = (collection: Collection<Doc>) => async () => {
    id++;
    await collection.insertOne(document(id, id));
  };
  const plain = client.db('bench').collection<Doc>('plain');
  // By turns, so that what else the machine does falls upon both.
  const hot = client.db('bench').collection<Doc>('hot');
  await hot.insertOne({ _id: 'hot', n: 0 });
  const seed = () => Math.floor(Math.random() * 20_000);
  const work = {
    inserts: insertInto(plain),
    floor: insertInto(floor.db('bench').collection<Doc>('plain')),
    findById: async () => void (await inserts.findOne({ _id: `seed ${seed()}` })),
    findByIndex: async () => void (await inserts.findOne({ account: `account ${seed()}` })),
    hot: async () => void (await hot.findOneAndUpdate({ _id: 'hot' }, { $inc: { n: 1 } })),
  };
  const rates: Record<keyof typeof work, number[]> = { inserts: [], floor: [], findById: [], findByIndex: [], hot: [] };
  for (let turn = 0; turn < TURNS; turn++) {
    rates.inserts.push(await perSecond(work.inserts));
    rates.floor.push(await perSecond(work.floor));
    rates.findById.push(await perSecond(work.findById));
    rates.findByIndex.push(await perSecond(work.findByIndex));
    rates.hot.push(await perSecond(work.hot));
  }
  const loneInsertP50Ms = await p50Ms(insertInto(plain));
  await Promise.all([client.close(), floor.close()]);
  await Promise.all([server.stop(), nothing.stop()]);
  const insertsPerSecond = median(rates.inserts);
  const nullServerInsertsPerSecond = median(rates.floor);
  return {
    insertsPerSecond,
    nullServerInsertsPerSecond,
    insertsShareOfNullServer: Math.round((insertsPerSecond / nullServerInsertsPerSecond) * 100) / 100,
    loneInsertP50Ms,
    findByIdPerSecond: median(rates.findById),
    findByIndexPerSecond: median(rates.findByIndex),
    hotDocumentPerSecond: median(rates.hot),
  };
}

/** A collection of a million documents: written by insertMany, then opened by a new process and used. */
async function benchMillion(dataDir: string) {
  const first = await startEmbedded(dataDir);
  let client = await connect(first.uri, 1);
  const startedMs = performance.now();
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const documents = Array.from({ length: BATCH }, (_, n) => document(from + n, from + n));
    await client.db('bench').collection<Doc>('million').insertMany(documents);
  }
  const insertManyDocumentsPerSecond = Math.round((DOCUMENTS / (performance.now() - startedMs)) * 1_000);
  await client.close();
  await first.stop();

  const again = await startEmbedded(dataDir);
  client = await connect(again.uri, CONNECTIONS);
  const million = client.db('bench').collection<Doc>('million');
  const counted = await million.countDocuments({});
  if (counted !== DOCUMENTS) throw new Error(`${counted} documents are there instead of ${DOCUMENTS}`);
  const openMillionMs = Math.round(again.startedMs);
  const any = () => Math.floor(Math.random() * DOCUMENTS);
  await Promise.all([
    perSecond(async () => void (await million.findOne({ _id: any() }))),
    (async () => {
      let seen = 0;
      for await (const _ of million.find({}, { batchSize: 5_000 })) seen++;
      if (seen !== DOCUMENTS) throw new Error(`a walk met ${seen} of ${DOCUMENTS} documents`);
    })(),
  ]);
  const millionPeakRssMiB = peakRssMiB(again.pid);
  await client.close();
  await again.stop();
  return { insertManyDocumentsPerSecond, openMillionMs, millionPeakRssMiB };
}

function failedBars(figures: Record<string, number>): string[] {
  return Object.entries(bars).flatMap(([name, bar]) => {
    // A figure that is missing fails its bar.
    const figure = figures[name] ?? Number.NaN;
    const held = 'min' in bar ? figure >= bar.min : figure <= bar.max;
    return held ? [] : [`${name} is ${figure}`];
  });
}

const document = (id: number | string, n: number): Doc => ({ _id: id, account: `account ${n}`, amount: n, text: 'x'.repeat(40) });

const connect = (uri: string, maxPoolSize: number) =>
  MongoClient.connect(uri, { maxPoolSize, minPoolSize: maxPoolSize, writeConcern: { w: 'majority', journal: true } });

/** How often all connections together do something in a second; the first moments, in which code is compiled, don't count. */
async function perSecond(once: () => Promise<void>): Promise<number> {
  let done = 0;
  let countedFromMs = 0;
  const startMs = performance.now();
  const endMs = startMs + WARM_MS + RUN_MS;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let nowMs = startMs; nowMs < endMs; nowMs = performance.now()) {
        await once();
        if (countedFromMs === 0 && performance.now() - startMs >= WARM_MS) countedFromMs = performance.now();
        else if (countedFromMs !== 0) done++;
      }
    }),
  );
  return Math.round((done / (performance.now() - countedFromMs)) * 1_000);
}

async function p50Ms(once: () => Promise<void>): Promise<number> {
  const tookMs: number[] = [];
  for (let round = 0; round < 3_000; round++) {
    const sentMs = performance.now();
    await once();
    if (round >= 500) tookMs.push(performance.now() - sentMs);
  }
  return Math.round(median(tookMs) * 100) / 100;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The most memory a process has had so far; Linux alone tells it. */
function peakRssMiB(pid: number): number {
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
}

async function startEmbedded(dataDir: string): Promise<Running> {
  const port = await freePort();
  const main = path.resolve(import.meta.dirname, '../../packages/embedded-mongo/src/main.ts');
  return start([main, '--data', dataDir, '--port', String(port)], port);
}

async function startNullServer(): Promise<Running> {
  const port = await freePort();
  return start([path.join(import.meta.dirname, 'null-mongo.ts'), String(port)], port);
}

/** Starts a server and waits for its first line, which says that it is ready. */
async function start(args: readonly string[], port: number): Promise<Running> {
  const spawnedMs = performance.now();
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await Promise.race([
    new Promise((resolve) => child.stdout?.once('data', resolve)),
    exited.then(() => Promise.reject(new Error(`${args[0]} ended before it was ready`))),
  ]);
  const startedMs = performance.now() - spawnedMs;
  if (child.pid === undefined) throw new Error(`${args[0]} was not started`);
  return {
    uri: `mongodb://127.0.0.1:${port}/?replicaSet=gerbang`,
    pid: child.pid,
    startedMs,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
