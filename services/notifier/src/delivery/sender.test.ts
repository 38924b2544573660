import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { createSender, type Sender } from './sender.ts';

const TIMEOUT_MS = 400;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Starts a server that hands each connection to `answer` when its request arrives; returns its port. */
async function serve(answer: (socket: Socket) => void, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => answer(socket));
  });
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listen(server, host);
}

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function open(resolve?: (host: string) => Promise<string[]>): Sender {
  const sender = createSender(
    { allowPrivate: true, allowHttp: true },
    { socketsPerEndpoint: 2, timeoutMs: TIMEOUT_MS, ...(resolve !== undefined && { resolve }) },
  );
  closing.push(() => sender.close());
  return sender;
}

const send = (sender: Sender, url: string) =>
  sender.send({ merchantId: 'm', url, headers: { 'Content-Type': 'application/json' }, body: '{"a":1}' });

/** Writes one byte after the other, slowly, as long as the connection lasts. */
function drip(socket: Socket, text: string, everyMs: number) {
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) return clearInterval(timer);
    socket.write(text[at++ % text.length] ?? '');
  }, everyMs);
}

/** Writes as fast as it is read. */
function flood(socket: Socket, text: string) {
  const more = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

const TIMED_OUT = 'no answer within 10 s';

test.each<[string, (socket: Socket) => void, string]>([
  ['reads and never answers', () => {}, TIMED_OUT],
  ['accepts the connection and reads nothing', (socket) => socket.pause(), TIMED_OUT],
  ['sends its headers one byte after the other', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-A: b\r\n', 20), TIMED_OUT],
  ['sends headers without end', (socket) => flood(socket, `X-A: ${'b'.repeat(500)}\r\n`), 'no valid HTTP answer'],
  [
    'sends headers without end after a status',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, `X-A: ${'b'.repeat(500)}\r\n`);
    },
    'the answer has too large headers',
  ],
  ['answers 103 for ever', (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'), TIMED_OUT],
  ['closes the connection', (socket) => socket.destroy(), 'the connection was closed before an answer'],
  [
    'resets the connection within its headers',
    (socket) => socket.write('HTTP/1.1 200 OK\r\nX-', () => socket.resetAndDestroy()),
    'the connection was closed before an answer',
  ],
  ['speaks something else', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 'no valid HTTP answer'],
])('an endpoint that %s has failed, in time', async (_, answer, error) => {
  const port = await serve(answer);
  const startedMs = performance.now();
  expect(await send(open(), `http://127.0.0.1:${port}/`)).toEqual({ httpStatus: undefined, answer: '', error });
  expect(performance.now() - startedMs).toBeLessThan(5 * TIMEOUT_MS);
});

test.each<[string, (socket: Socket) => void, RegExp]>([
  ['drips its body', (socket) => drip(socket, '.', 20), /^\.*$/],
  [
    'resets the connection within its body',
    (socket) => socket.write('abc', () => setTimeout(() => socket.resetAndDestroy(), 50)),
    /^(abc)?$/,
  ],
  ['says that more will come than does', (socket) => socket.end('abc'), /^(abc)?$/],
])('an endpoint that answers 200 and then %s has acknowledged', async (_, body, answer) => {
  const port = await serve((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
    body(socket);
  });
  expect(await send(open(), `http://127.0.0.1:${port}/`)).toEqual({
    httpStatus: 200,
    answer: expect.stringMatching(answer),
    error: undefined,
  });
});

test('only the beginning of a huge answer is read', async () => {
  const servers: Socket[] = [];
  const port = await serve((socket) => {
    servers.push(socket);
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n');
    flood(socket, 'x'.repeat(65_536));
  });
  const { httpStatus, answer } = await send(open(), `http://127.0.0.1:${port}/`);
  expect([httpStatus, answer]).toEqual([200, 'x'.repeat(1_024)]);
  const [socket] = servers;
  if (socket === undefined) throw new Error('no client has connected');
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  expect(socket.bytesWritten).toBeLessThan(50_000_000);
});

test('an endpoint that hangs holds only its own sockets, and gives them back', async () => {
  let connections = 0;
  const port = await serve(() => connections++);
  const sender = open();
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(sender, `http://127.0.0.1:${port}/`)));
  expect(answers.map(({ error }) => error)).toEqual(Array.from({ length: 4 }, () => TIMED_OUT));
  expect(connections).toBeLessThanOrEqual(4);
  const healthy = await serve((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
  expect((await send(sender, `http://127.0.0.1:${healthy}/`)).httpStatus).toBe(204);
});

test('a name server that never answers and one that refuses give different errors', async () => {
  const never = open(() => new Promise(() => {}));
  expect((await send(never, 'http://hangs.test/')).error).toBe(TIMED_OUT);
  const refused = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND', syscall: 'queryA' });
  const unknown = open(() => Promise.reject(refused));
  expect((await send(unknown, 'http://unknown.test/')).error).toBe('the host name does not resolve (ENOTFOUND)');
});

test('the name is resolved once, that address is dialled, and Host stays the name', async () => {
  let seen = '';
  const asked: string[] = [];
  const sender = open(async (host) => {
    asked.push(host);
    // The second answer would lead elsewhere.
    return asked.length === 1 ? ['127.0.0.2'] : ['127.0.0.1'];
  });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      seen = data.toString();
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  });
  closing.push(() => server.close());
  const recording = await listen(server, '127.0.0.2');
  expect((await send(sender, `http://hook.test:${recording}/a?b=c`)).httpStatus).toBe(200);
  expect(asked).toEqual(['hook.test']);
  expect(seen).toMatch(/^POST \/a\?b=c HTTP\/1\.1\r\n/);
  expect(seen.toLowerCase()).toContain(`host: hook.test:${recording}\r\n`);
});

test('a certificate without a known issuer is refused before anything is sent; SNI is the name', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-webhook-tls-'));
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=hook.test', '-addext', 'subjectAltName=DNS:hook.test'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '1', ...names],
    {
      stdio: 'pipe',
    },
  );
  const serverNames: string[] = [];
  let bytes = 0;
  const server = createTlsServer(
    {
      key: readFileSync(key),
      cert: readFileSync(cert),
      SNICallback(name, callback) {
        serverNames.push(name);
        callback(null);
      },
    },
    (socket) => socket.on('error', () => {}).on('data', (data) => (bytes += data.byteLength)),
  );
  server.on('tlsClientError', () => {});
  closing.push(() => server.close());
  const port = await listen(server);
  const sender = open(async () => ['127.0.0.1']);
  expect((await send(sender, `https://hook.test:${port}/`)).error).toBe(
    'the TLS certificate is not valid (DEPTH_ZERO_SELF_SIGNED_CERT)',
  );
  expect([serverNames, bytes]).toEqual([['hook.test'], 0]);
});

test('an endpoint that speaks no TLS has failed', async () => {
  const port = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
  expect((await send(open(), `https://127.0.0.1:${port}/`)).error).toBe('no TLS connection');
});
