import { Binary } from 'bson';
import { type Doc, isDoc } from '../bson/types.ts';
import { CommandError, failure, location } from '../errors.ts';
import { startDeadline } from '../query/deadline.ts';
import { checkApiVersion } from './api-version.ts';
import { checkReadConcern, checkWriteConcern, maxTimeMsOf, writeConcernErrorOf } from './concerns.ts';
import type { CommandContext, Connection } from './context.ts';
import { type Failing, labelsOf } from './fail-points.ts';
import { commands, retryableWrites } from './registry.ts';
import { Retryable } from './retryable.ts';

export type ServerParts = Omit<CommandContext, 'db' | 'now' | 'connection' | 'retryable'>;

/** What became of a command: a reply, or the connection is to be closed without one. */
export type Outcome = { reply: Doc; close: boolean; blockMs: number };

/**
 * Runs one command. A refusal becomes an error reply; anything unforeseen undoes the batch it was part of, because it may
 * have happened half way through a write.
 */
export function dispatch(body: Doc, parts: ServerParts, connection: Connection): Outcome {
  const [name = ''] = Object.keys(body);
  if (body.client !== undefined) connection.appName ??= appNameOf(body.client);
  const failing = parts.failPoints.strike(name, body, connection.appName);
  if (failing?.closeConnection) return { reply: { ok: 0 }, close: true, blockMs: failing.blockMs };
  const { reply, close } = failing?.error
    ? { reply: errorReply(failing.error, failing.errorLabels), close: false }
    : guarded(name, body, parts, connection);
  return { reply: withWriteConcernError(reply, failing), close, blockMs: failing?.blockMs ?? 0 };
}

/** What a driver tells of its application: `{application: {name}, driver, os}`. */
function appNameOf(client: unknown): string | undefined {
  const application = isDoc(client) ? client.application : undefined;
  const name = isDoc(application) ? application.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

type Ran = { reply: Doc; close: boolean };

function guarded(name: string, body: Doc, parts: ServerParts, connection: Connection): Ran {
  try {
    return run(name, body, parts, connection);
  } catch (error) {
    if (error instanceof CommandError) {
      return { reply: errorReply(error, labelsOf(error.code, body.txnNumber !== undefined)), close: false };
    }
    parts.store.commits.poison(error);
    const internal = failure('InternalError', error instanceof Error ? error.message : String(error));
    return { reply: errorReply(internal, undefined), close: false };
  }
}

function run(name: string, body: Doc, parts: ServerParts, connection: Connection): Ran {
  checkApiVersion(name, body);
  const command = commands.get(name);
  if (!command) throw failure('CommandNotFound', `no such command: '${name}'`);
  const db = body.$db;
  const refused = parts.refuse?.({ db: typeof db === 'string' ? db : 'admin', name, body });
  if (refused !== undefined) throw failure('CommandNotSupported', refused);
  checkTransaction(body);
  checkReadConcern(name, body);
  checkWriteConcern(name, body);
  startDeadline(maxTimeMsOf(body));
  const now = new Date();
  const context: CommandContext = {
    ...parts,
    db: typeof db === 'string' ? db : 'admin',
    now,
    connection,
    retryable: retryableOf(name, body, parts, now),
  };
  const writeConcernError = writeConcernErrorOf(body);
  const { retryable } = context;
  if (retryable && !retryable.earlier(0)) {
    const struck = parts.failPoints.strikeRetryable('before', connection.appName);
    if (struck instanceof CommandError) throw struck;
    if (struck === 'close') return { reply: { ok: 0 }, close: true };
  }
  const reply = command(body, context);
  retryable?.save();
  const close = retryable?.changed === true && parts.failPoints.strikeRetryable('after', connection.appName) === 'close';
  return { reply: writeConcernError ? { ...reply, writeConcernError } : reply, close };
}

function checkTransaction(body: Doc): void {
  if (body.startTransaction !== undefined || body.autocommit !== undefined) {
    throw failure('OperationNotSupportedInTransaction', 'Multi-document transactions are not supported by this server');
  }
}

function retryableOf(name: string, body: Doc, parts: ServerParts, now: Date): Retryable | undefined {
  const txn = body.txnNumber;
  if (txn === undefined) return undefined;
  if (!retryableWrites.has(name)) throw location(50768, `It is illegal to provide a txnNumber for command ${name}`);
  const lsid = body.lsid;
  const id = isDoc(lsid) ? lsid.id : undefined;
  if (!(id instanceof Binary)) throw failure('InvalidOptions', 'Transaction number requires a session ID to also be specified');
  return new Retryable(parts.store, id.buffer.subarray(0, id.position), Number(txn), now.getTime());
}

export function errorReply(error: CommandError, errorLabels: string[] | undefined): Doc {
  return {
    ok: 0,
    errmsg: error.message,
    code: error.code,
    codeName: error.codeName,
    ...error.extra,
    ...(errorLabels && { errorLabels }),
  };
}

function withWriteConcernError(reply: Doc, failing: Failing | undefined): Doc {
  if (!failing?.writeConcernError) return reply;
  return {
    ...reply,
    writeConcernError: failing.writeConcernError,
    ...(failing.errorLabels && { errorLabels: failing.errorLabels }),
  };
}
