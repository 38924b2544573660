import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerToHost, FrameReader, type Message, packMessage, toFrame, unpackMessage } from '@gerbang/rails/iso8583';
import type { Closeable } from '@gerbang/runtime';
import type { Context } from '../../context.ts';
import { type Booked, bookMessage, toAnswer } from './messages.ts';

/** How often a host that waits for the issuer looks at the clock, real time. */
const LOOK_MS = 50;
const SYSTEM_MALFUNCTION = '96';

/** The acquirer's host: ISO 8583:1987 over TCP, over the same books as its REST API. */
export async function openIso8583Host(
  context: Context,
  address: { host: string; port: number },
): Promise<Closeable & { port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(context, socket);
  });
  server.listen(address);
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the host listens on no TCP port');
  return {
    port: bound.port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The messages of a connection are booked one after the other, so a reversal finds what was sent before it. */
function serve(context: Context, socket: Socket): void {
  const frames = new FrameReader();
  let last: Promise<void> = Promise.resolve();
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const message of frames.read(chunk).map(unpackMessage)) last = last.then(() => handle(context, socket, message));
    } catch {
      // What can't be read may be a card: nothing of it is logged.
      context.log.warn('the gateway has sent what is no message');
      socket.destroy();
    }
  });
}

async function handle(context: Context, socket: Socket, message: Message): Promise<void> {
  const network = answerToHost(message);
  if (network !== undefined) return send(socket, network);
  const { latency_ms: latencyMs = 0 } = context.behaviours.get('card');
  const booked = await book(context, message);
  void answer(context, socket, message, booked, latencyMs);
}

/** Within the forced behaviour (contract §11): `error` is 96 before any work, `error_rate` to its share, half of them after it. */
async function book(context: Context, message: Message): Promise<Booked> {
  const { outcome, error_rate: errorRate = 0 } = context.behaviours.get('card');
  const draw = context.random();
  const failed: Booked = { code: SYSTEM_MALFUNCTION };
  if (outcome === 'error' || draw < errorRate / 2) return failed;
  try {
    const booked = await bookMessage(context, message, outcome);
    return draw < errorRate ? failed : booked;
  } catch (error) {
    context.log.error({ err: error }, 'a message was not booked');
    return failed;
  }
}

/** The issuer takes its time, and the next messages do not wait for it. */
async function answer(context: Context, socket: Socket, message: Message, booked: Booked, latencyMs: number): Promise<void> {
  if (booked === 'silence') return;
  const signal = context.stopping;
  if (latencyMs > 0) await sleep(latencyMs, undefined, { signal }).catch(() => undefined);
  while (context.clock.now() < (booked.atMs ?? 0) && !signal.aborted && !socket.destroyed) await sleep(LOOK_MS);
  if (!signal.aborted) send(socket, toAnswer(message, booked));
}

function send(socket: Socket, message: Message): void {
  if (!socket.destroyed) socket.write(toFrame(packMessage(message)));
}
