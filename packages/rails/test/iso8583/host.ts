import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { FrameReader, type Message, packMessage, toFrame, unpackMessage } from '../../src/iso8583/index.ts';

/** An acquirer's host for tests: it hears every message and answers as it is told; sign-on, sign-off and echo with 00 unless told. */
export type Host = {
  port: number;
  heard: Message[];
  /** What answers a message; undefined is silence. */
  answer: (message: Message) => Message | undefined;
  sockets: Set<Socket>;
  send(bytes: Uint8Array): void;
  [Symbol.asyncDispose](): Promise<void>;
};

export const reply = (message: Message, code: string, more: Message['fields'] = {}): Message => ({
  type: `${message.type.slice(0, 2)}${Number(message.type[2]) + 1}0`,
  fields: { ...message.fields, 39: code, ...more },
});

export async function startHost(answer: Host['answer'] = (message) => reply(message, '00')): Promise<Host> {
  const server = createServer();
  const host: Host = {
    port: 0,
    heard: [],
    answer,
    sockets: new Set(),
    send: (bytes) => {
      for (const socket of host.sockets) socket.write(bytes);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of host.sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('connection', (socket) => {
    host.sockets.add(socket);
    const frames = new FrameReader();
    socket.on('data', (chunk: Buffer) => {
      for (const bytes of frames.read(chunk)) {
        const message = unpackMessage(bytes);
        host.heard.push(message);
        const answered = host.answer(message);
        if (answered !== undefined) socket.write(toFrame(packMessage(answered)));
      }
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => host.sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  host.port = (server.address() as AddressInfo).port;
  return host;
}
