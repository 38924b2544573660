import { MongoBulkWriteError, MongoClientBulkWriteError, MongoOperationTimeoutError, MongoServerError } from 'mongodb';
import type { World } from './entities.ts';
import type { Json } from './file.ts';
import { matches } from './match.ts';

type DriverError = Error & {
  code?: unknown;
  codeName?: unknown;
  result?: unknown;
  errorResponse?: Json;
  cause?: unknown;
  hasErrorLabel?: (label: string) => boolean;
};

/** Compares an error with `expectError`; throws where they differ. */
export function checkError(error: unknown, expected: Json, world: World): void {
  if (!(error instanceof Error)) throw new Error(`not an error: ${String(error)}`);
  const own: DriverError = error;
  const fail = (what: string) => {
    throw new Error(`expected ${what}, not ${own.name} ${String(own.code ?? '')} ${own.message}`, { cause: own });
  };
  if (typeof expected.isClientError === 'boolean' && expected.isClientError === fromServer(own))
    fail(`a ${expected.isClientError ? 'client' : 'server'} error`);
  if (typeof expected.isTimeoutError === 'boolean' && own instanceof MongoOperationTimeoutError !== expected.isTimeoutError)
    fail(`${expected.isTimeoutError ? 'a' : 'no'} timeout`);
  if (expected.errorCode !== undefined && Number(own.code) !== expected.errorCode) fail(`code ${String(expected.errorCode)}`);
  if (expected.errorCodeName !== undefined && own.codeName !== expected.errorCodeName) fail(String(expected.errorCodeName));
  if (typeof expected.errorContains === 'string' && !own.message.toLowerCase().includes(expected.errorContains.toLowerCase()))
    fail(`'${expected.errorContains}'`);
  for (const label of (expected.errorLabelsContain as string[] | undefined) ?? []) {
    if (!own.hasErrorLabel?.(label)) fail(`label ${label}`);
  }
  for (const label of (expected.errorLabelsOmit as string[] | undefined) ?? []) {
    if (own.hasErrorLabel?.(label)) fail(`no label ${label}`);
  }
  if (expected.errorResponse !== undefined) matches(own.errorResponse, expected.errorResponse, world, 'error response');
  if (expected.expectResult !== undefined) {
    // The driver counts ids it has made among insertedIds, also of documents that were not stored.
    const { insertedIds: _, ...result } = plain(own.result) as Json;
    matches(result, expected.expectResult, world, 'error result');
  }
}

/**
 * Whether it was an answer of the server: a broken connection is none, nor what the driver refuses to send. The driver wraps
 * either into the error of a bulk write, which counts itself among the server's and holds as `errorResponse` what it wraps.
 */
export function fromServer(error: Error): boolean {
  if (error instanceof MongoClientBulkWriteError) return error.cause instanceof MongoServerError;
  if (error instanceof MongoBulkWriteError) return !isWithoutAnswer(error.errorResponse);
  return error instanceof MongoServerError;
}

const isWithoutAnswer = (wrapped: unknown) => wrapped instanceof Error && !(wrapped instanceof MongoServerError);

const resultFields = 'insertedCount matchedCount modifiedCount deletedCount upsertedCount insertedIds upsertedIds'.split(' ');

/** Results are compared as documents: driver classes become plain fields. */
export function plain(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(plain);
  if (typeof result !== 'object' || result === null || '_bsontype' in result) return result;
  if (result instanceof Date || result instanceof Uint8Array) return result;
  const fields: Json = {};
  for (const name of resultFields) if (name in result) fields[name] = (result as Json)[name];
  return { ...result, ...fields };
}
