import { type Doc, isDoc, isNumeric } from '../bson/types.ts';
import { failure } from '../errors.ts';

const readLevels = new Set(['local', 'available', 'majority', 'linearizable']);
const writes = new Set([
  'insert',
  'update',
  'delete',
  'findAndModify',
  'findandmodify',
  'createIndexes',
  'dropIndexes',
  'create',
  'drop',
  'dropDatabase',
]);
const reads = new Set(['find', 'count', 'distinct', 'getMore', 'listCollections', 'listIndexes', 'listDatabases', 'explain']);

/** Refuses read concerns that do not exist, that this server lacks, or that a command cannot have. */
export function checkReadConcern(name: string, body: Doc): void {
  const concern = body.readConcern;
  if (!isDoc(concern)) return;
  const { level } = concern;
  if (level === 'snapshot') throw failure('NotImplemented', 'readConcern snapshot is not supported by this server');
  if (level === undefined) return;
  if (typeof level !== 'string')
    throw failure('TypeMismatch', "BSON field 'readConcern.level' is the wrong type, expected type 'string'");
  if (!readLevels.has(level))
    throw failure('BadValue', `Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`);
  if (level !== 'local' && writes.has(name))
    throw failure('InvalidOptions', `Command ${name} does not support { readConcern: { level: "${level}" } }`);
}

/** Refuses a malformed write concern, or one where nothing is written. Whether it can be met shows only after the write. */
export function checkWriteConcern(name: string, body: Doc): void {
  const concern = body.writeConcern;
  if (!isDoc(concern) || Object.keys(concern).length === 0) return;
  if (reads.has(name) || (name === 'aggregate' && !writesAtEnd(body.pipeline)))
    throw failure('InvalidOptions', 'Command does not support writeConcern');
  const { w, j, wtimeout } = concern;
  if (isNumeric(w) && (Number(w) < 0 || Number(w) > 50 || Number.isNaN(Number(w))))
    throw failure('FailedToParse', `w has to be a non-negative number and not greater than 50; found: ${String(w)}`);
  if (w !== undefined && !isNumeric(w) && typeof w !== 'string')
    throw failure('FailedToParse', 'w has to be a number, string, or object');
  if (j !== undefined && typeof j !== 'boolean' && !isNumeric(j))
    throw failure(
      'TypeMismatch',
      "BSON field 'writeConcern.j' is the wrong type, expected types '[bool, long, int, decimal, double]'",
    );
  if (wtimeout !== undefined && !isNumeric(wtimeout))
    throw failure(
      'TypeMismatch',
      "BSON field 'writeConcern.wtimeout' is the wrong type, expected types '[long, int, decimal, double]'",
    );
}

function writesAtEnd(pipeline: unknown): boolean {
  const last = Array.isArray(pipeline) ? pipeline.at(-1) : undefined;
  return isDoc(last) && ('$out' in last || '$merge' in last);
}

/** More members than this one can't be waited for. */
export function writeConcernErrorOf(body: Doc): Doc | undefined {
  const concern = body.writeConcern;
  if (!isDoc(concern)) return undefined;
  const { w } = concern;
  if (w === undefined || w === 'majority' || (isNumeric(w) && Number(w) <= 1)) return undefined;
  return isNumeric(w)
    ? { code: 100, codeName: 'UnsatisfiableWriteConcern', errmsg: 'Not enough data-bearing nodes' }
    : {
        code: 79,
        codeName: 'UnknownReplWriteConcern',
        errmsg: `No write concern mode named '${String(w)}' found in replica set configuration`,
      };
}

/** The time a command may take, 0 for no limit. */
export function maxTimeMsOf(body: Doc): number {
  const { maxTimeMS } = body;
  if (maxTimeMS === undefined || maxTimeMS === null) return 0;
  const ms = isNumeric(maxTimeMS) ? Number(maxTimeMS) : Number.NaN;
  if (!isNumeric(maxTimeMS)) throw failure('BadValue', 'maxTimeMS must be a number');
  if (!Number.isInteger(ms)) throw failure('BadValue', 'maxTimeMS has non-integral value');
  if (ms < 0 || ms > 2 ** 31 - 1) throw failure('BadValue', `${ms} value for maxTimeMS is out of range [0, 2147483647]`);
  return ms;
}
