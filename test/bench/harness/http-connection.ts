import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request as it goes over the wire. */
export type Shot = { method: 'GET' | 'POST'; path: string; headers: Readonly<Record<string, string>>; body: string };

/** An answer; status 0 says that the connection ended before it. `body` is only valid until the callback returns. */
export type OnAnswer = (status: number, body: Buffer) => void;

const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);
const READ_BYTES = 16 * 1024;
/** Where the three digits of the status stand in `HTTP/1.1 200 OK`. */
const STATUS_AT = 9;

/** The bytes of a request, to be made beforehand where all requests are alike. */
export function encodeShot({ method, path, headers, body }: Shot): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}${length}\r\n${body}`);
}

/**
 * One keep-alive HTTP/1.1 connection, one request at a time, opened again when the server has closed it. It reads status,
 * content-length and body and nothing else, so that a request costs the load generator as little as it can.
 */
export class HttpConnection {
  readonly #port: number;
  #socket: Socket | undefined;
  #pending: Buffer = NOTHING;
  #onAnswer: OnAnswer | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Connects beforehand, so that no request waits for that. */
  async connected(): Promise<void> {
    this.#socket ??= this.#open();
    if (this.#socket.connecting) await once(this.#socket, 'connect');
  }

  send(request: Buffer, onAnswer: OnAnswer): void {
    if (this.#onAnswer !== undefined) throw new Error('a connection has one request at a time');
    this.#onAnswer = onAnswer;
    this.#socket ??= this.#open();
    this.#socket.write(request);
  }

  /** A request that has no answer yet ends with status 0. */
  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    // One buffer that every read fills again: a new one for each would keep the collector busy.
    const onread = {
      buffer: Buffer.alloc(READ_BYTES),
      callback: (bytes: number, buffer: Uint8Array) => {
        this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, bytes));
        return true;
      },
    };
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true, onread });
    // What went wrong shows in the answer that is missing; 'close' follows.
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      this.#answer(0, NOTHING);
    });
    return socket;
  }

  /** `chunk` is only valid until this returns. */
  #read(chunk: Buffer): void {
    const received = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const answer = parseAnswer(received);
    if (answer === undefined) {
      this.#pending = Buffer.from(received);
      return;
    }
    if (answer.closes) this.#forget();
    this.#answer(answer.status, answer.body);
  }

  #forget(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #answer(status: number, body: Buffer): void {
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    this.#pending = NOTHING;
    onAnswer?.(status, body);
  }
}

/** The answer that `received` begins with, or undefined while some of it is missing. */
function parseAnswer(received: Buffer): { status: number; body: Buffer; closes: boolean } | undefined {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = received.toString('latin1', 0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without content-length:\n${head}`);
  const bodyAt = headEnd + HEAD_END.length;
  const end = bodyAt + Number(length);
  if (received.length < end) return undefined;
  return {
    status: Number(head.slice(STATUS_AT, STATUS_AT + 3)),
    body: received.subarray(bodyAt, end),
    closes: /\r\nconnection: *close/i.test(head),
  };
}
