import { type Refusal, RefusalError, refuse } from '@gerbang/core';

/** What is not the caller's doing and stands in the request's log line, with its cause; the caller does not see it. */
export type Fault = { level: 'warn' | 'error'; err: unknown; cause?: string };

/** The refusal that an error means: its own, what fastify says of a body that it cannot take, or `internal`. */
export function toRefusal(error: unknown): { refusal: Refusal; fault?: Fault } {
  if (error instanceof RefusalError) {
    const { refusal } = error;
    switch (refusal.refused) {
      case 'internal':
      case 'posting_key_conflict':
        return { refusal: refuse('internal'), fault: faultOf(error, 'error') };
      case 'unavailable':
      case 'timeout':
        return { refusal, fault: faultOf(error, 'warn') };
      default:
        return { refusal };
    }
  }
  if (isCallersFault(error)) return { refusal: refuse('bad_request') };
  return { refusal: refuse('internal'), fault: { level: 'error', err: error } };
}

/** An error with what has caused it. */
export function faultOf(error: Error, level: Fault['level']): Fault {
  return { level, err: error, ...(error.cause instanceof Error && { cause: error.cause.message }) };
}

/**
 * A body that ended early, a Content-Length or Content-Type that makes no sense: fastify and Node mark them with a 4xx status or
 * these codes.
 */
function isCallersFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode >= 400 && error.statusCode < 500;
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE');
}
