import { type ChildProcess, spawn } from 'node:child_process';
import { MongoClient, MongoServerError } from 'mongodb';
import type { TestContext } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';

type Written = { _id: number; n: number; text: string; twin: number };
type Counter = { _id: string; a: number; b: number };

/** What writers were told is stored: ids of inserted documents, and how far each counter got. */
export type Acknowledged = { ids: Set<number>; counters: Map<string, number> };

export const nothingYet = (): Acknowledged => ({ ids: new Set(), counters: new Map() });

/**
 * Starts a server as a process and waits until it tells its address. It ends with its test at the latest, also where that has
 * failed or was not done in time.
 */
export async function startProcess(
  { signal, onTestFinished }: Pick<TestContext, 'signal' | 'onTestFinished'>,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ child: ChildProcess; uri: string; exited: Promise<number | null> }> {
  // A test whose time is up still runs on: it must not start another server, which would have no end.
  signal.throwIfAborted();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const line = new Promise<string>((resolve) => child.stdout?.once('data', (chunk) => resolve(String(chunk))));
  const first = await Promise.race([line, exited.then((code) => `exited with ${code}`)]);
  if (!first.startsWith('{')) throw new Error(`the server did not start: ${first}`);
  return { child, uri: (JSON.parse(first) as { uri: string }).uri, exited };
}

const writersMax = 64;
const text = 'x'.repeat(1500);

/**
 * 64 writers insert documents and change counters until the server dies, which `kill` brings about once enough is
 * acknowledged and `isReady`, if given, agrees; it is asked after every answer from then on. Notes what was acknowledged.
 */
export async function writeUntilKilled(
  uri: string,
  acknowledged: Acknowledged,
  own: { firstId: number; acknowledgedMin: number; isReady?: () => boolean; kill: () => void },
): Promise<void> {
  const options = { maxPoolSize: writersMax, serverSelectionTimeoutMS: 500, retryWrites: false, monitorCommands: false };
  const client = new MongoClient(uri, options);
  const written = client.db('t').collection<Written>('written');
  const counters = client.db('t').collection<Counter>('counters');
  await written.createIndex({ n: 1 }, { unique: true });
  await written.createIndex({ twin: -1, n: 1 });
  let next = own.firstId;
  let told = 0;
  let killed = false;
  const tell = () => {
    told++;
    if (killed || told < own.acknowledgedMin || own.isReady?.() === false) return;
    killed = true;
    own.kill();
  };
  const insert = async () => {
    const id = next++;
    await written.insertOne({ _id: id, n: id, text, twin: id });
    acknowledged.ids.add(id);
    tell();
  };
  const count = async (name: string) => {
    const after = await counters.findOneAndUpdate(
      { _id: name },
      { $inc: { a: 1, b: 1 } },
      { upsert: true, returnDocument: 'after' },
    );
    acknowledged.counters.set(name, Math.max(acknowledged.counters.get(name) ?? 0, after?.a ?? 0));
    tell();
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: writersMax }, async (_, writer) => {
      for (;;) await (writer % 4 === 0 ? count(`counter ${writer}`) : insert());
    }),
  );
  await client.close();
  for (const outcome of outcomes) {
    // Only the loss of the server may end a writer.
    if (outcome.status === 'rejected' && outcome.reason instanceof MongoServerError) throw outcome.reason;
  }
}

/** Opens the data and tells what is wrong with it: acknowledged writes that are missing, and writes that are half there. */
export async function faultsOf(dataDir: string, acknowledged: Acknowledged): Promise<string[]> {
  const server = await EmbeddedMongo.start({ dataDir });
  const client = new MongoClient(server.uri);
  const faults: string[] = [];
  try {
    const written = client.db('t').collection<Written>('written');
    const found = new Set<number>();
    for await (const { _id, n, twin, text: stored } of written.find({}, { batchSize: 10_000 })) {
      found.add(_id);
      if (n !== _id || twin !== _id || stored !== text) faults.push(`document ${_id} is half there`);
    }
    for (const id of acknowledged.ids) if (!found.has(id)) faults.push(`document ${id} is missing`);
    for (const index of [{ n: 1 }, { twin: -1, n: 1 }] as const) {
      const byIndex = found.size === 0 ? 0 : await written.countDocuments({ n: { $gte: 0 }, twin: { $gte: 0 } }, { hint: index });
      if (byIndex !== found.size) faults.push(`an index holds ${byIndex} of ${found.size} documents`);
    }
    const counters = await client.db('t').collection<Counter>('counters').find().toArray();
    for (const { _id, a, b } of counters) if (a !== b) faults.push(`${_id} is half changed: ${a}, ${b}`);
    for (const [name, value] of acknowledged.counters) {
      const stored = counters.find(({ _id }) => _id === name)?.a ?? 0;
      if (stored < value) faults.push(`${name} is ${stored}, acknowledged was ${value}`);
    }
  } finally {
    await client.close();
    await server.stop();
  }
  return faults;
}
