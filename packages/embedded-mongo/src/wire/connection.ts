import type { Socket } from 'node:net';
import type { Doc } from '../bson/types.ts';
import type { Connection } from '../commands/context.ts';
import { dispatch, errorReply, type ServerParts } from '../commands/dispatch.ts';
import { messageBytesMax } from '../commands/server-commands.ts';
import { CommandError, failure } from '../errors.ts';
import { headerBytes, ProtocolError, type Request, readMessage, writeReply } from './message.ts';

/**
 * A client that sends without reading gets no further attention while this much waits for it, or of what it has sent waits here.
 */
const waitingBytesMax = 1024 * 1024;

/**
 * Serves one client until it leaves or breaks the protocol, one request after the other as the server does. Nothing that
 * happens here reaches another client.
 */
export function serveConnection(socket: Socket, parts: ServerParts, connectionId: number): void {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let answering = false;
  const connection: Connection = { id: connectionId, appName: undefined };
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('drain', goOn);
  socket.on('data', (chunk: Buffer) => {
    pending.push(chunk);
    pendingBytes += chunk.length;
    goOn();
  });

  const mustWait = () => answering || socket.writableLength > waitingBytesMax;

  function goOn(): void {
    try {
      takeFrames();
    } catch (error) {
      // What can't be read can't be answered either.
      socket.destroy();
      if (!(error instanceof ProtocolError)) throw error;
    }
    if (!mustWait()) {
      if (socket.isPaused()) socket.resume();
    } else if (pendingBytes > waitingBytesMax) socket.pause();
  }

  function takeFrames(): void {
    while (pendingBytes >= headerBytes && !mustWait()) {
      const [first] = pending;
      const head = first && first.length >= 4 ? first : joined();
      const bytes = head.readInt32LE(0);
      if (bytes < headerBytes || bytes > messageBytesMax) throw new ProtocolError(`message length ${bytes} is not allowed`);
      if (pendingBytes < bytes) return;
      const all = joined();
      pendingBytes -= bytes;
      pending = pendingBytes > 0 ? [all.subarray(bytes)] : [];
      serve(all.subarray(0, bytes));
      if (socket.destroyed) return;
    }
  }

  function joined(): Buffer {
    const [only] = pending;
    if (pending.length === 1 && only) return only;
    const all = Buffer.concat(pending);
    pending = [all];
    return all;
  }

  function serve(frame: Buffer): void {
    let request: Request;
    try {
      request = readMessage(frame);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      send({ id: frame.readInt32LE(4), legacy: false }, errorReply(error, undefined));
      return;
    }
    const { reply, close, blockMs } = dispatch(request.body, parts, connection);
    if (close) {
      socket.destroy();
      return;
    }
    answering = !request.noReply;
    if (blockMs > 0) setTimeout(() => answer(request, reply), blockMs).unref();
    else answer(request, reply);
  }

  function answer(request: Request, reply: Doc): void {
    if (request.noReply) return;
    parts.store.commits.after({
      done: () => finish(request, reply),
      failed: (error) =>
        finish(request, errorReply(failure('InternalError', `the write could not be stored: ${String(error)}`), undefined)),
    });
  }

  function finish(request: Request, reply: Doc): void {
    answering = false;
    send(request, reply);
    if (pendingBytes > 0) goOn();
  }

  function send(request: Pick<Request, 'id' | 'legacy'>, reply: Doc): void {
    if (socket.writable) socket.write(writeReply(request, reply));
  }
}
