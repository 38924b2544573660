import { randomBytes } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Statuses for what Node's parser gives up on; anything else is 400. */
const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/**
 * Answers bytes that are no HTTP request, or one that does not arrive in time, and closes the connection: no route has been found
 * for them.
 */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statuses[error.code ?? ''] ?? 400;
  const meaning = STATUS_CODES[status] ?? 'Bad Request';
  const body = JSON.stringify({ status, success: false, error: { code: status, message: meaning } });
  const head = [
    `HTTP/1.1 ${status} ${meaning}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${newRequestId()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** An id in the form of a trace id, for answers that no span is opened for. */
export function newRequestId(): string {
  return randomBytes(16).toString('hex');
}
