import { MongoServerError } from 'mongodb';

/** Whether a write failed because its `_id` (or another unique value) is taken. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11000;
}
