import { createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';
import { serveBenchmark } from '../harness/server-process.ts';

const { deserialize, serialize } = BSON;

/**
 * The floor of inserts: a server in a process of its own that speaks the protocol, acknowledges every insert and stores nothing.
 */
const opMsg = 2013;
const opQuery = 2004;
const port = Number(process.argv[2]);

const hello = {
  ismaster: true,
  isWritablePrimary: true,
  helloOk: true,
  setName: 'gerbang',
  setVersion: 1,
  hosts: [`127.0.0.1:${port}`],
  me: `127.0.0.1:${port}`,
  primary: `127.0.0.1:${port}`,
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 21,
  ok: 1,
};
const helloBytes = serialize(hello);
const insertedBytes = serialize({ n: 1, ok: 1 });
const okBytes = serialize({ ok: 1 });

function replyOf(frame: Buffer): Buffer {
  const opCode = frame.readInt32LE(12);
  if (opCode === opQuery) return framed(frame, helloBytes, 20);
  if (opCode !== opMsg) throw new Error(`operation ${opCode}`);
  // The name of a document's first field is the command.
  const name = frame.toString('latin1', 26, frame.indexOf(0, 26));
  if (name === 'insert') return framed(frame, insertedBytes, 5);
  const [command] = Object.keys(deserialize(frame.subarray(21)));
  return framed(frame, command === 'hello' || command === 'ismaster' ? helloBytes : okBytes, 5);
}

/** A reply: after the header an OP_MSG has 5 bytes of flags and kind, an OP_REPLY 20 of flags, cursor and counts. */
function framed(request: Buffer, body: Uint8Array, prefix: 5 | 20): Buffer {
  const frame = Buffer.alloc(16 + prefix + body.length);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(request.readInt32LE(4), 8);
  frame.writeInt32LE(prefix === 5 ? opMsg : 1, 12);
  if (prefix === 20) {
    frame.writeInt32LE(8, 16);
    frame.writeInt32LE(1, 32);
  }
  frame.set(body, 16 + prefix);
  return frame;
}

createServer((socket: Socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
      const bytes = pending.readInt32LE(0);
      socket.write(replyOf(pending.subarray(0, bytes)));
      pending = pending.subarray(bytes);
    }
  });
}).listen(port, '127.0.0.1', serveBenchmark);
