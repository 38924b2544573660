import type { Dispatcher } from 'undici';
import type { Deadlines } from './deadlines.ts';

/** What the body of an answer may take beyond its status; only its beginning is kept, for the log. */
const BODY_TIMEOUT_MS = 1_000;
const ANSWER_BYTES = 1_024;

/** What came of a POST: the status and the beginning of the body, or why there was no status. */
export type Posted = { httpStatus: number; answer: string } | { error: unknown };

/** No status has come in time. */
export class TimedOut extends Error {
  constructor() {
    super('no status in time');
    this.name = 'TimedOut';
  }
}

/**
 * Sends one request and reads the first KiB of what is answered. Whatever comes after that, late or never is cut off: the status has said all that counts.
 * Takes the answer from the dispatcher as it comes; a stream for each body, as undici's `request` makes one, costs more than reading it. Never rejects.
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
      // What comes before the answer itself, such as 103, is none.
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
    // The deadline is for all of it.
    dispatcher.dispatch({ ...request, method: 'POST', headersTimeout: 0, bodyTimeout: 0 }, handler);
  } catch (error) {
    end(error);
  }
  return promise;
}

function beginningOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return '';
  // A character cut in half at the end is left out.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, ANSWER_BYTES), { stream: true });
}
