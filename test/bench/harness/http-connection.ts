import { connect, type Socket } from 'node:net';

/** A request as it goes over the wire. */
export type Shot = { method: 'GET' | 'POST'; path: string; headers: Readonly<Record<string, string>>; body: string };

/** An answer; status 0 says that the connection ended before it. `body` is only valid until the callback returns. */
export type OnAnswer = (status: number, body: Buffer) => void;

const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);
/** Where the three digits of the status stand in `HTTP/1.1 200 OK`. */
const STATUS_AT = 9;

/** The bytes of a request, to be made beforehand where all requests are alike. */
export function encodeShot({ method, path, headers, body }: Shot): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join('')}${length}\r\n${body}`);
}

/**
 * One keep-alive HTTP/1.1 connection, one request at a time, opened again when the server has closed it. It reads status, content-length and body and
 * nothing else, so that a request costs the load generator as little as it can.
 */
export class HttpConnection {
  readonly #port: number;
  #socket: Socket | undefined;
  #pending: Buffer = NOTHING;
  #onAnswer: OnAnswer | undefined;

  constructor(port: number) {
    this.#port = port;
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
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (chunk: Buffer) => {
      this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
      this.#read();
    });
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

  #read(): void {
    const headEnd = this.#pending.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#pending.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) throw new Error(`an answer without content-length:\n${head}`);
    const bodyAt = headEnd + HEAD_END.length;
    const end = bodyAt + Number(length);
    if (this.#pending.length < end) return;
    const body = this.#pending.subarray(bodyAt, end);
    this.#pending = NOTHING;
    if (/\r\nconnection: *close/i.test(head)) this.#forget();
    this.#answer(Number(head.slice(STATUS_AT, STATUS_AT + 3)), body);
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
