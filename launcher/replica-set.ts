const NOT_YET_INITIALIZED = 94;
const TIMEOUT_MS = 3_000;

type Answer = Record<string, unknown>;

/** Runs one command on the server's admin database. */
export type RunCommand = (command: Answer) => Promise<Answer>;

/** Whether a mongod of our own is the primary of its replica set of one; makes it so where it is not yet. */
export async function isReplicaSetReady({ name, port }: { name: string; port: number }): Promise<boolean> {
  // Loaded only where there is a mongod: the embedded server needs none of it.
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, { serverSelectionTimeoutMS: TIMEOUT_MS });
  try {
    const admin = client.db('admin');
    return await ensurePrimary((command) => admin.command(command), name, `127.0.0.1:${port}`);
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

/**
 * One step towards a primary at `host`: initiates a new set, or moves an old one to the port that it has now. True when there is
 * nothing to do.
 */
export async function ensurePrimary(run: RunCommand, name: string, host: string): Promise<boolean> {
  let config: Answer;
  try {
    config = (await run({ replSetGetConfig: 1 })).config as Answer;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === NOT_YET_INITIALIZED)) throw error;
    await run({ replSetInitiate: { _id: name, members: [{ _id: 0, host }] } });
    return false;
  }
  const members = config.members as Answer[];
  if (members[0]?.host !== host) {
    const moved = { ...config, version: Number(config.version) + 1, members: [{ ...members[0], host }] };
    await run({ replSetReconfig: moved, force: true });
    return false;
  }
  return (await run({ hello: 1 })).isWritablePrimary === true;
}
