import { connect as connectTcp, type Socket } from 'node:net';
import { deserialize, serialize } from 'bson';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedMongo } from '../src/index.ts';

let server: EmbeddedMongo;
let client: MongoClient;
beforeAll(async () => {
  server = await EmbeddedMongo.start();
  client = new MongoClient(server.uri, { maxPoolSize: 4 });
  await client.db('t').collection<{ _id: number }>('c').insertOne({ _id: 1 });
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

/** Someone else's connection, who must notice nothing: reads and writes go on, and its connections are not dropped. */
async function bystanderNoticesNothing(during: () => Promise<void>): Promise<void> {
  let done = false;
  let closed = 0;
  const onClosed = () => closed++;
  client.on('connectionClosed', onClosed);
  const collection = client.db('t').collection<{ _id: number; n?: number }>('c');
  const busy = (async () => {
    let rounds = 0;
    while (!done || rounds < 3) {
      await collection.updateOne({ _id: 1 }, { $inc: { n: 1 } });
      expect((await collection.findOne({ _id: 1 }))?._id).toBe(1);
      rounds++;
    }
  })();
  await during().finally(() => {
    done = true;
  });
  await busy;
  client.off('connectionClosed', onClosed);
  expect(closed).toBe(0);
}

function frameOf(opCode: number, body: Uint8Array, bytes = 16 + body.length): Buffer {
  const frame = Buffer.alloc(16 + body.length);
  frame.writeInt32LE(bytes, 0);
  frame.writeInt32LE(7, 4);
  frame.writeInt32LE(opCode, 12);
  frame.set(body, 16);
  return frame;
}

const message = (body: Uint8Array, flags = 0) => {
  const section = Buffer.alloc(5 + body.length);
  section.writeUInt32LE(flags, 0);
  section.set(body, 5);
  return frameOf(2013, section);
};
const command = (body: object) => message(serialize(body));

/** Everything a socket says until it is closed. */
function untilClosed(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    socket
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('error', () => undefined)
      .on('close', () => resolve(Buffer.concat(chunks)));
  });
}

/** The next reply on a socket. */
function reply(socket: Socket): Promise<Record<string, unknown>> {
  let received = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4 || received.length < received.readInt32LE(0)) return;
      socket.off('data', onData);
      resolve(deserialize(received.subarray(21)));
    };
    socket.on('data', onData).once('close', () => reject(new Error('closed without a reply')));
  });
}

describe('a frame that breaks the protocol ends its own connection', () => {
  const ping = serialize({ ping: 1, $db: 't' });
  const badDocument = Buffer.from(ping);
  badDocument.writeInt32LE(5, 0);
  test.each([
    ['text of another protocol', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')],
    ['a negative length', frameOf(2013, Buffer.alloc(0), -1)],
    ['a length shorter than a header', frameOf(2013, Buffer.alloc(0), 15)],
    ['a length beyond the largest message', frameOf(2013, Buffer.alloc(0), 100_000_000)],
    ['no section', frameOf(2013, Buffer.alloc(0))],
    ['an unknown operation', frameOf(9999, Buffer.alloc(4))],
    ['a compressed message that was never agreed on', frameOf(2012, Buffer.alloc(20))],
    ['unknown required flags', message(ping, 1 << 5)],
    ['an unknown kind of section', frameOf(2013, Buffer.concat([Buffer.alloc(4), Buffer.from([9]), ping]))],
    ['two bodies', frameOf(2013, Buffer.concat([Buffer.alloc(5), ping, Buffer.from([0]), ping]))],
    [
      'a sequence that runs past the end',
      frameOf(2013, Buffer.concat([Buffer.alloc(5), ping, Buffer.from([1, 255, 0, 0, 0, 97, 0])])),
    ],
    ['a query that is no hello', frameOf(2004, Buffer.concat([Buffer.alloc(4), Buffer.from('t.c\0'), Buffer.alloc(8), ping]))],
  ])('%s', async (_name, bytes) => {
    await bystanderNoticesNothing(async () => {
      const socket = connectTcp(server.port, '127.0.0.1');
      socket.write(bytes);
      await untilClosed(socket);
    });
  });

  test.each([
    ['malformed BSON', message(badDocument)],
    ['a string without an end', message(Buffer.from([16, 0, 0, 0, 2, 97, 0, 99, 0, 0, 0, 98, 0, 0, 0, 0]))],
    ['a document nested too deep', command({ find: 'c', filter: nested(300), $db: 't' })],
    ['a field both in the body and in a sequence', withSequence()],
  ])('%s is answered with an error, and the connection goes on', async (_name, bytes) => {
    await bystanderNoticesNothing(async () => {
      const socket = connectTcp(server.port, '127.0.0.1');
      socket.write(bytes);
      expect(await reply(socket)).toMatchObject({ ok: 0 });
      socket.write(command({ ping: 1, $db: 't' }));
      expect(await reply(socket)).toEqual({ ok: 1 });
      socket.destroy();
    });
  });

  function nested(depth: number): object {
    let doc: object = { a: 1 };
    for (let level = 0; level < depth; level++) doc = { a: doc };
    return doc;
  }

  function withSequence(): Buffer {
    const body = serialize({ insert: 'c', documents: [], $db: 't' });
    const document = serialize({ _id: 5 });
    const sequence = Buffer.alloc(5 + 10 + document.length);
    sequence[0] = 1;
    sequence.writeInt32LE(4 + 10 + document.length, 1);
    sequence.write('documents\0', 5);
    sequence.set(document, 15);
    return frameOf(2013, Buffer.concat([Buffer.alloc(5), body, sequence]));
  }
});

test('documents that are too large are refused, those at the limit are kept', async () => {
  const big = client.db('t').collection<{ _id: number; text?: string; n?: number }>('big');
  const bytesMax = 16 * 1024 * 1024;
  const overhead = serialize({ _id: 1, text: '' }).length;
  await bystanderNoticesNothing(async () => {
    await big.insertOne({ _id: 1, text: 'x'.repeat(bytesMax - overhead) });
    // The driver itself refuses larger ones before it sends them.
    const over = serialize({ _id: 2, text: 'x'.repeat(bytesMax - overhead + 1) });
    const socket = connectTcp(server.port, '127.0.0.1');
    socket.write(command({ insert: 'big', documents: [deserialize(over)], $db: 't' }));
    expect(await reply(socket)).toMatchObject({ writeErrors: [{ index: 0, code: 10334 }] });
    socket.destroy();
    await expect(big.updateOne({ _id: 1 }, { $set: { n: 1 } })).rejects.toMatchObject({ code: 10334 });
  });
  expect(await big.countDocuments()).toBe(1);
  expect((await big.findOne({ _id: 1 }))?.text).toHaveLength(bytesMax - overhead);
}, 20_000);

describe('clients that leave half way', () => {
  test('a half-closed socket still gets its reply, and is then closed', async () => {
    const socket = connectTcp({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    const said = untilClosed(socket);
    socket.end(command({ insert: 'half', documents: [{ _id: 1 }], $db: 't' }));
    const bytes = await said.finally(() => socket.destroy());
    expect(deserialize(bytes.subarray(21))).toMatchObject({ ok: 1, n: 1 });
    expect(await client.db('t').collection('half').countDocuments()).toBe(1);
  });

  test('a message cut off in the middle does nothing', async () => {
    await bystanderNoticesNothing(async () => {
      const whole = command({ insert: 'cut', documents: [{ _id: 1, text: 'x'.repeat(1000) }], $db: 't' });
      for (const end of [1, 3, 15, 16, 20, 21, 400, whole.length - 1]) {
        const socket = connectTcp(server.port, '127.0.0.1');
        socket.end(whole.subarray(0, end));
        await untilClosed(socket);
      }
    });
    expect(await client.db('t').collection('cut').countDocuments()).toBe(0);
  });

  test('a message that comes byte by byte is understood', async () => {
    const socket = connectTcp(server.port, '127.0.0.1');
    socket.setNoDelay(true);
    for (const byte of command({ ping: 1, $db: 't' })) {
      await new Promise<void>((resolve) => socket.write(Buffer.from([byte]), () => resolve()));
    }
    expect(await reply(socket)).toEqual({ ok: 1 });
    socket.destroy();
  });

  test('one that sends much and reads nothing holds up nobody and fills no memory; nothing is lost when it reads', async () => {
    const bytes = 8 * 1024 * 1024;
    const requests = 30;
    const big = client.db('t').collection<{ _id: number; text?: string }>('unread');
    await big.insertOne({ _id: 1, text: 'x'.repeat(bytes) });
    const socket = connectTcp(server.port, '127.0.0.1');
    socket.pause();
    const before = process.memoryUsage().arrayBuffers;
    await bystanderNoticesNothing(async () => {
      for (let n = 0; n < requests; n++) socket.write(command({ find: 'unread', filter: { _id: 1 }, $db: 't' }));
      // Each of these is answered after whatever the server would have done for the other connection.
      for (let n = 0; n < requests; n++) await client.db('t').command({ ping: 1 });
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * bytes);
    let received = 0;
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received >= requests * bytes) resolve();
      });
      socket.resume();
    });
    socket.destroy();
  });
});

test('a thousand connections are served at once, and one more client as well', async () => {
  await bystanderNoticesNothing(async () => {
    const sockets = await Promise.all(
      Array.from({ length: 1000 }, () => {
        const socket = connectTcp(server.port, '127.0.0.1');
        return new Promise<Socket>((resolve, reject) => socket.once('connect', () => resolve(socket)).once('error', reject));
      }),
    );
    const replies = sockets.map(reply);
    for (const [n, socket] of sockets.entries()) socket.write(command({ insert: 'many', documents: [{ _id: n }], $db: 't' }));
    for (const answer of await Promise.all(replies)) expect(answer).toMatchObject({ ok: 1, n: 1 });
    expect(await client.db('t').collection('many').countDocuments()).toBe(1000);
    for (const socket of sockets) socket.destroy();
  });
});

test('addresses that others could reach are refused', async () => {
  await expect(EmbeddedMongo.start({ host: '0.0.0.0' })).rejects.toThrow('loopback');
  await expect(EmbeddedMongo.start({ host: '::' })).rejects.toThrow('loopback');
});
