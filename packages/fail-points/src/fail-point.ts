import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type Collection, type Document, MongoClient, MongoServerError } from 'mongodb';
import { appNameOf, withAppName } from './mongo-address.ts';

/** How long a lock lives that is not renewed: what a crashed test held is free after it. */
const LOCK_MS = 10_000;
const RENEW_MS = 2_000;
const LOOK_EVERY_MS = 25;

type Lock = { _id: 'failCommand'; owner: string; until: Date };

/** Something held until `off`, which may be called twice; `await using` calls it when the test ends, however it ends. */
export type Held = AsyncDisposable & { off(): Promise<void> };

/** Which commands fail, and how: `data` of the server's fail point `failCommand` without `appName`. */
export type CommandFailure = { failCommands: string[] } & Document;

/**
 * Lets commands of the clients that use exactly this address fail from now until `off`. `address` is a TestMongo's `uri`, whose
 * appName no other test has; a server has one fail point of this kind for all, so they are set one after the other. `mode` is
 * `alwaysOn` or `{times}`.
 */
export async function failCommand(address: string, mode: 'alwaysOn' | { times: number }, data: CommandFailure): Promise<Held> {
  const appName = appNameOf(address);
  if (appName === undefined) throw new Error('without an appName in the address every client of the server would fail');
  const lock = await lockFailPoints(address);
  const client = new MongoClient(withAppName(address, 'testkit'));
  const set = (fields: Document) => client.db('admin').command({ configureFailPoint: 'failCommand', ...fields });
  const off = once(async () => {
    await set({ mode: 'off' });
    await client.close();
    await lock.off();
  });
  try {
    await set({ mode, data: { ...data, appName } });
  } catch (error) {
    await client.close();
    await lock.off();
    throw error;
  }
  return { off, [Symbol.asyncDispose]: off };
}

/** Waits until no other test has a fail point on this server, and keeps the others waiting until `off`. */
export async function lockFailPoints(address: string): Promise<Held> {
  const client = new MongoClient(withAppName(address, 'testkit'));
  const locks = client.db('test_locks').collection<Lock>('locks');
  const owner = randomBytes(8).toString('hex');
  while (!(await take(locks, owner))) await setTimeout(LOOK_EVERY_MS);
  const renewing = setInterval(() => {
    // One that could not be renewed is taken by the next test, as a crashed test's is.
    take(locks, owner).catch(() => {});
  }, RENEW_MS);
  renewing.unref();
  const off = once(async () => {
    clearInterval(renewing);
    await locks.deleteOne({ _id: 'failCommand', owner });
    await client.close();
  });
  return { off, [Symbol.asyncDispose]: off };
}

/** Takes the lock if it is free or has run out, and renews it for who has it. */
async function take(locks: Collection<Lock>, owner: string): Promise<boolean> {
  const now = new Date();
  try {
    await locks.updateOne(
      { _id: 'failCommand', $or: [{ owner }, { until: { $lt: now } }] },
      { $set: { owner, until: new Date(now.getTime() + LOCK_MS) } },
      { upsert: true, writeConcern: { w: 'majority' } },
    );
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === 11000) return false;
    throw error;
  }
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= run();
    return running;
  };
}
