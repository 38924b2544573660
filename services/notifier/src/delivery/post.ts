import type { Dispatcher } from 'undici';
import type { Deadlines } from './deadlines.ts';

/** The time for the body of an answer after its status. Only the beginning of the body is kept, for the log. */
const BODY_TIMEOUT_MS = 1_000;
const ANSWER_BYTES = 1_024;

/** The result of a POST: the status and the beginning of the body, or why there is no status. */
export type Posted = { httpStatus: number; answer: string } | { error: unknown };

/** No status came in time. */
export class TimedOut extends Error {
  constructor() {
    super('no status in time');
    this.name = 'TimedOut';
  }
}

/**
 * Sends one request and reads the first KiB of the answer. It cuts off the rest of a long or slow body, because only the status
 * counts. It takes the answer from the dispatcher as it comes: undici's `request` makes a stream for each body, which costs more
 * than reading it. Never rejects.
 */
export function post(
  dispatcher: Dispatcher,
  request: { path: string; headers: Record<string, string>; body: string },
  { deadlines, timeoutMs }: { deadlines: Deadlines; timeoutMs: number },
): Promise<Posted> {
  const { promise, resolve } = Promise.withResolvers<Posted>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let httpStatus: number | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let cut: Error | undefined;

  const end = (error: unknown) => {
    forget();
    resolve(httpStatus === undefined ? { error } : { httpStatus, answer: beginningOf(chunks) });
  };
  const cutOff = (reason: Error) => {
    cut = reason;
    end(reason);
    controller?.abort(reason);
  };
  const deadline = { untilMs: performance.now() + timeoutMs, expire: () => cutOff(new TimedOut()) };
  const forget = deadlines.watch(deadline);
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      if (cut !== undefined) started.abort(cut);
    },
    onResponseStart(_, status) {
      // A status below 200, such as 103, comes before the answer itself.
      if (status < 200) return;
      httpStatus = status;
      deadline.untilMs = performance.now() + BODY_TIMEOUT_MS;
    },
    onResponseData(_, chunk) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= ANSWER_BYTES) cutOff(new Error('the rest is not wanted'));
    },
    onResponseEnd: () => end(undefined),
    onResponseError: (_, error) => end(error),
  };
  try {
    // Our deadline covers all of it.
    dispatcher.dispatch({ ...request, method: 'POST', headersTimeout: 0, bodyTimeout: 0 }, handler);
  } catch (error) {
    end(error);
  }
  return promise;
}

function beginningOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return '';
  // This leaves out a character that is cut in half at the end.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, ANSWER_BYTES), { stream: true });
}
