import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const HEAD_END = Buffer.from('\r\n\r\n');
const REFERENCE = Buffer.from('"reference_number":"');

/** What has come; `references` in the order of coming. */
export type Receiver = { url: string; references: string[]; atMs: number[] };

/**
 * Merchants' endpoint: reads each request in full, notes its reference number and when it came (Unix ms), and answers 200. It
 * does no more than that, because it shares the processors with what is measured.
 */
export async function startReceiver(resources: AsyncDisposableStack): Promise<Receiver> {
  const receiver: Receiver = { url: '', references: [], atMs: [] };
  const server = createServer((socket) => {
    let pending: Buffer = Buffer.alloc(0);
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        pending = pending.byteLength === 0 ? chunk : Buffer.concat([pending, chunk]);
        for (let end = endOfRequest(pending); end !== undefined; end = endOfRequest(pending)) {
          note(receiver, pending.subarray(0, end));
          socket.write(ANSWER);
          pending = pending.subarray(end);
        }
      });
  });
  receiver.url = `${await listen(resources, server)}/hook`;
  return receiver;
}

/** Merchants' endpoint that takes every connection and never answers. */
export async function startBlackHole(resources: AsyncDisposableStack): Promise<{ url: string }> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  return { url: `${await listen(resources, server)}/hook` };
}

async function listen(resources: AsyncDisposableStack, server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  resources.defer(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return `http://127.0.0.1:${address.port}`;
}

function endOfRequest(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const length = /content-length: (\d+)/i.exec(bytes.toString('latin1', 0, headEnd));
  const end = headEnd + HEAD_END.byteLength + Number(length?.[1] ?? 0);
  return bytes.byteLength < end ? undefined : end;
}

function note(receiver: Receiver, request: Buffer): void {
  const from = request.indexOf(REFERENCE) + REFERENCE.byteLength;
  receiver.references.push(request.toString('latin1', from, request.indexOf('"', from)));
  receiver.atMs.push(performance.timeOrigin + performance.now());
}
