import { AbstractCursor, Collection, Db, GridFSBucket, MongoClient } from 'mongodb';
import type { World } from '../entities.ts';
import type { Json } from '../file.ts';
import { collectionOperations } from './collection.ts';
import { clientOperations, databaseOperations } from './database.ts';
import { bucketOperations, cursorOperations, sessionOperations } from './gridfs.ts';
import { runnerOperations } from './test-runner.ts';

/** Thrown for an operation that the runner or the driver lacks, so that its test counts as skipped. */
export class UnknownOperation extends Error {
  override readonly name = 'UnknownOperation';
}

/** Runs one operation of the unified test format with the driver's own method. */
export async function runOperation(operation: Json, world: World, step: (operation: Json) => Promise<void>): Promise<unknown> {
  const { session, ...given } = (operation.arguments as Json | undefined) ?? {};
  const name = String(operation.name);
  if (operation.object === 'testRunner') {
    const run = runnerOperations[name];
    if (!run) throw new UnknownOperation(name);
    return run({ ...given, ...(session !== undefined && { session }) }, world, step);
  }
  const object = world.entities.get(String(operation.object));
  if (object === undefined) throw new Error(`entity ${String(operation.object)} is not there`);
  const run = (operationsOf(object) as Record<string, (object: unknown, given: Json) => unknown>)[name];
  if (!run) throw new UnknownOperation(name);
  return run(object, { ...given, ...(session !== undefined && { session: world.session(session) }) });
}

function operationsOf(object: unknown): object {
  if (object instanceof Collection) return collectionOperations;
  if (object instanceof Db) return databaseOperations;
  if (object instanceof MongoClient) return clientOperations;
  if (object instanceof GridFSBucket) return bucketOperations;
  if (object instanceof AbstractCursor) return cursorOperations;
  return sessionOperations;
}
