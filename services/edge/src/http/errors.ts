import { type Refusal, RefusalError, refuse } from '@gerbang/core';
import type { Logger } from '@gerbang/runtime';

/**
 * The refusal that an error means: its own, what fastify says of a body that it cannot take, or `internal`. What is not the caller's doing is logged
 * with its cause, and tells the caller nothing of it.
 */
export function toRefusal(error: unknown, log: Logger): Refusal {
  if (error instanceof RefusalError) {
    const { refusal } = error;
    switch (refusal.refused) {
      case 'internal':
      case 'posting_key_conflict':
        log.error({ err: error, cause: causeOf(error) }, 'a request failed');
        return refuse('internal');
      case 'unavailable':
      case 'timeout':
        log.warn({ err: error, cause: causeOf(error) }, 'a request could not be served in time');
        return refusal;
      default:
        return refusal;
    }
  }
  if (isCallersFault(error)) return refuse('bad_request');
  log.error({ err: error }, 'a request failed');
  return refuse('internal');
}

/** A body that ended early, a Content-Length or Content-Type that makes no sense: fastify and Node mark them with a 4xx status or these codes. */
function isCallersFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode >= 400 && error.statusCode < 500;
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE');
}

function causeOf(error: Error): string | undefined {
  return error.cause instanceof Error ? error.cause.message : undefined;
}
