import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { World } from '../entities.ts';
import { matchEvent } from '../events.ts';
import type { Json } from '../file.ts';

type Step = (operation: Json) => Promise<void>;
type Run = (given: Json, world: World, step: Step) => unknown;

/** The operations of the test runner itself, by the name in the test format. */
export const runnerOperations: Record<string, Run> = {
  failPoint: ({ client, failPoint }, world) => world.setFailPoint(world.client(client), failPoint as Json),
  createEntities: async ({ entities }, world) => {
    for (const entity of entities as Json[]) await world.create(entity);
  },
  wait: ({ ms }) => setTimeout(Number(ms)),
  waitForEvent: ({ client, event, count }, world) => waitForEvent(client, event as Json, Number(count), world),
  assertEventCount: ({ client, event, count }, world) => {
    const seen = countEvents(client, event as Json, world);
    if (seen !== Number(count)) throw new Error(`${seen} events, expected ${Number(count)}`);
  },
  runOnThread: ({ thread, operation }, world, step) => {
    const entity = world.entities.get(String(thread)) as Thread;
    const running = entity.running.then(() => step(operation as Json));
    // A failure is told by waitForThread.
    running.catch(() => {});
    entity.running = running;
  },
  waitForThread: ({ thread }, world) => (world.entities.get(String(thread)) as Thread).running,
  assertSessionDirty: ({ session }, world) => expectDirty(session, true, world),
  assertSessionNotDirty: ({ session }, world) => expectDirty(session, false, world),
  assertSessionUnpinned: ({ session }, world) => {
    if (world.session(session).isPinned) throw new Error('the session is pinned');
  },
  assertSessionPinned: ({ session }, world) => {
    if (!world.session(session).isPinned) throw new Error('the session is not pinned');
  },
  assertSameLsidOnLastTwoCommands: ({ client }, world) => expectSameLsid(client, true, world),
  assertDifferentLsidOnLastTwoCommands: ({ client }, world) => expectSameLsid(client, false, world),
  assertNumberConnectionsCheckedOut: ({ client, connections }, world) => {
    const seen = world.eventsOf(client);
    const count = (name: string) => seen.filter((one) => one.name === name).length;
    const out = count('connectionCheckedOutEvent') - count('connectionCheckedInEvent');
    if (out !== Number(connections)) throw new Error(`${out} connections are checked out, expected ${Number(connections)}`);
  },
  assertCollectionExists: ({ databaseName, collectionName }, world) =>
    expectCollection(databaseName, collectionName, true, world),
  assertCollectionNotExists: ({ databaseName, collectionName }, world) =>
    expectCollection(databaseName, collectionName, false, world),
  assertIndexExists: (given, world) => expectIndex(given, true, world),
  assertIndexNotExists: (given, world) => expectIndex(given, false, world),
};

type Thread = { running: Promise<unknown> };

function countEvents(client: unknown, expected: Json, world: World): number {
  const [name = ''] = Object.keys(expected);
  return world.eventsOf(client).filter((one) => {
    if (one.name !== name) return false;
    try {
      matchEvent(one, expected[name] as Json, world, 'event');
      return true;
    } catch {
      return false;
    }
  }).length;
}

async function waitForEvent(client: unknown, expected: Json, count: number, world: World): Promise<void> {
  const until = Date.now() + 10_000;
  while (countEvents(client, expected, world) < count) {
    if (Date.now() > until) throw new Error(`${count} × ${JSON.stringify(expected)} did not occur within 10 s`);
    await setTimeout(5);
  }
}

function expectDirty(session: unknown, dirty: boolean, world: World): void {
  if (world.session(session).serverSession.isDirty !== dirty) throw new Error(`the session is ${dirty ? 'not ' : ''}dirty`);
}

function expectSameLsid(client: unknown, same: boolean, world: World): void {
  const started = world.eventsOf(client).filter((one) => one.name === 'commandStartedEvent');
  const [first, second] = started.slice(-2).map(({ event }) => (event.command as Json).lsid);
  if (first === undefined || second === undefined) throw new Error('the last two commands have no lsid');
  if (isDeepStrictEqual(first, second) !== same) throw new Error(`the last two lsids are ${same ? 'not ' : ''}the same`);
}

const anyClient = (world: World) => world.client([...world.events.keys()][0]);

async function expectCollection(database: unknown, name: unknown, exists: boolean, world: World): Promise<void> {
  const found = await anyClient(world).db(String(database)).listCollections({ name }).toArray();
  if (found.length > 0 !== exists) throw new Error(`collection ${String(name)} is ${exists ? 'not ' : ''}there`);
}

async function expectIndex({ databaseName, collectionName, indexName }: Json, exists: boolean, world: World): Promise<void> {
  const collection = anyClient(world).db(String(databaseName)).collection(String(collectionName));
  const found = exists || (await collection.indexes().catch(() => [])).length > 0 ? await collection.indexes() : [];
  if (found.some(({ name }) => name === indexName) !== exists)
    throw new Error(`index ${String(indexName)} is ${exists ? 'not ' : ''}there`);
}
