import { MongoBulkWriteError, MongoServerError } from 'mongodb';

const DUPLICATE_KEY = 11000;

/** Whether a write failed because its `_id` (or another unique value) is taken. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/**
 * Whether nothing but taken values failed in a write of one document or an unordered one of many; everything else is durably
 * written then.
 */
export function isDuplicateKeysOnly(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicateKey(error);
  const failures = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  const durable = error.result.getWriteConcernError() === undefined;
  return durable && failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
}
