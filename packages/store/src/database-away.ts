import { MongoBulkWriteError, MongoError, MongoErrorLabel, MongoServerError } from 'mongodb';

/** Errors of the driver by which a command got no answer, or no connection to send it by. */
const OF_DRIVER: ReadonlySet<string> = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoServerSelectionError',
  'MongoWaitQueueTimeoutError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoNotConnectedError',
  'MongoClientClosedError',
  'MongoOperationTimeoutError',
  'MongoWriteConcernError',
]);

/** Codes of a server that is starting, stopping, not the primary, or did not reach the others in time. */
const OF_SERVER: ReadonlySet<number | string | undefined> = new Set([
  6, 7, 64, 89, 91, 100, 133, 189, 262, 9001, 10058, 10107, 11600, 11602, 13388, 13435, 13436, 50,
]);

const CAUSES_MAX = 5;

/**
 * Whether something failed because the database could not be asked, or its answer was lost: it is the same for every command then,
 * says nothing of this one, and passes. Whether a write was done is not known.
 */
export function isDatabaseAway(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < CAUSES_MAX && at instanceof Error; depth++) {
    if (at instanceof MongoError && isAway(at)) return true;
    at = at.cause;
  }
  return false;
}

function isAway(error: MongoError): boolean {
  if (OF_DRIVER.has(error.name) || error.hasErrorLabel(MongoErrorLabel.RetryableWriteError)) return true;
  if (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined) return true;
  return error instanceof MongoServerError && OF_SERVER.has(error.code);
}
