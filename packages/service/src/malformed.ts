import { randomBytes } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Statuses for what Node's parser gives up on; anything else is 400. */
const STATUSES: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
/** Of the bytes of a request that is none, so many are looked at for the path that it names. */
const LINE_BYTES_MAX = 4_096;

/** Why bytes are no request: its HTTP status and what that means. `path`: what they ask for, empty where that cannot be told. */
export type Malformed = { status: number; meaning: string; path: string };

/** What a listener answers to it: its own kind of body, and headers besides those of every answer. */
export type MalformedAnswer = { type: string; body: string; headers?: Readonly<Record<string, string>> };

/**
 * Answers bytes that are no HTTP request, or one that does not arrive in time, and closes the connection: no route has been found
 * for them, and no framework sees them.
 */
export function answeringMalformed(render: (malformed: Malformed) => MalformedAnswer) {
  return (error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = STATUSES[error.code ?? ''] ?? 400;
    const meaning = STATUS_CODES[status] ?? 'Bad Request';
    const { type, body, headers = {} } = render({ status, meaning, path: pathIn(error.rawPacket) });
    const all = {
      'content-type': type,
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': newRequestId(),
      'cache-control': 'no-store',
      ...headers,
      connection: 'close',
    };
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    socket.end(`HTTP/1.1 ${status} ${meaning}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  };
}

/** An id in the form of a trace id, for answers that no span is opened for. */
export function newRequestId(): string {
  return randomBytes(16).toString('hex');
}

/**
 * What is wrong with a request's Host header: HTTP/1.1 wants one, and no request has two (RFC 9112, section 3.2), since two
 * servers on its way could each believe another. Undefined where it is right.
 */
export function hostProblem({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) return 'There is more than one Host header';
  return hosts === 0 && httpVersion !== '1.0' ? 'The Host header is missing' : undefined;
}

/** The path of a request line at the beginning of the bytes, without its query. */
function pathIn(packet: unknown): string {
  if (!Buffer.isBuffer(packet)) return '';
  const line = packet.toString('latin1', 0, LINE_BYTES_MAX);
  return /^[A-Z]{1,16} (\/[^\s?]*)/.exec(line)?.[1] ?? '';
}
