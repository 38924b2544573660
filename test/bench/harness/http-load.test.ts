import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { encodeShot } from './http-connection.ts';
import { closedLoop, figuresOf, openLoop, type Target } from './http-load.ts';

let resources = new AsyncDisposableStack();
afterEach(async () => {
  await resources.disposeAsync();
  resources = new AsyncDisposableStack();
});

test('requests arrive as they were encoded, and their answers are counted by verdict', async () => {
  const seen = new Set<string>();
  let n = 0;
  const port = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.add(`${request.method} ${request.url} ${request.headers['x-partner-id']} ${body}`);
      n++;
      const status = n % 3 === 0 ? 503 : n % 3 === 1 ? 200 : 500;
      response.writeHead(status, { 'content-length': 4 }).end(`é ${n % 10}`);
    });
  });
  const load = await openLoop(target(port), { connections: 4, durationMs: 200, perSecond: 1_500 });
  expect(seen).toEqual(new Set(['POST /there partner {"name":"é"}']));
  expect(load.accepted.count).toBe(Math.ceil(n / 3));
  expect(load.refused.count).toBe(Math.floor(n / 3));
  expect(load.failed).toBe(n - load.accepted.count - load.refused.count);
  expect(load.firstFailure).toBe('500 é 2');
  expect(() => figuresOf(load)).toThrow('500 é 2');
});

test('a closed loop has no more requests under way than connections, and waits for the last answers', async () => {
  const held: (() => void)[] = [];
  let [underWay, most, answered] = [0, 0, 0];
  const port = await serve((_request, response) => {
    most = Math.max(most, ++underWay);
    const answer = () => {
      underWay--;
      answered++;
      response.end('fine');
    };
    // The first three wait for each other.
    if (held.length === 3) answer();
    else if (held.push(answer) === 3) for (const go of held) go();
  });
  const load = await closedLoop(target(port), { connections: 3, durationMs: 100 });
  expect(most).toBe(3);
  expect(load.accepted.count).toBe(answered);
  expect(load.failed).toBe(0);
});

test('a closed loop does not hurry a server that refuses', async () => {
  const port = await serve((_request, response) => response.writeHead(503, { 'content-length': 0 }).end());
  const load = await closedLoop(target(port), { connections: 3, durationMs: 100 });
  expect(load.refused.count).toBe(3);
  expect(load.accepted.count).toBe(0);
});

test('an open loop sends what is due whatever becomes of those before, and who waits for a connection is charged for it', async () => {
  const held: (() => void)[] = [];
  const port = await serve((_request, response) => {
    const answer = () => response.end('fine');
    // Until both connections have waited for a while, nobody is answered; then everybody is at once.
    if (held.length === 2) answer();
    else if (held.push(answer) === 2) setTimeout(() => held.forEach((go) => void go()), 300);
  });
  const load = await openLoop(target(port), { connections: 2, durationMs: 100, perSecond: 1_000 });
  expect(load.failed).toBe(0);
  // All were due in the first 100 ms, and none could be answered before 300 ms.
  expect(load.accepted.p50Ms).toBeGreaterThan(200);
  expect(load.lateP99Ms).toBeGreaterThan(200);
});

test('a connection that the server ends is a failure, and the next request opens another', async () => {
  let connections = 0;
  const port = await serveTcp((write, end) => {
    if (++connections === 1) return end();
    write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nfi');
    setImmediate(() => {
      write('ne');
      end();
    });
  });
  const load = await closedLoop(target(port), { connections: 1, durationMs: 100 });
  expect(load.failed).toBe(1);
  expect(load.firstFailure).toBe('the connection ended');
  expect(load.accepted.count).toBeGreaterThan(0);
  expect(connections).toBe(load.accepted.count + 1);
});

function target(port: number): Target {
  const headers = { 'content-type': 'application/json', 'x-partner-id': 'partner' };
  const request = encodeShot({ method: 'POST', path: '/there', headers, body: '{"name":"é"}' });
  const judge: Target['judge'] = (status) => (status === 200 ? 'accepted' : status === 503 ? 'refused' : 'failed');
  return { port, next: () => request, judge };
}

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  resources.defer(() => server.closeAllConnections());
  resources.defer(() => void server.close());
  await once(server, 'listening');
  return portOf(server.address());
}

/** Answers the first bytes of each connection. */
async function serveTcp(answer: (write: (text: string) => void, end: () => void) => void): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.once('data', () =>
      answer(
        (text) => void socket.write(text),
        () => void socket.end(),
      ),
    );
  }).listen(0, '127.0.0.1');
  resources.defer(() => void server.close());
  await once(server, 'listening');
  return portOf(server.address());
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return address.port;
}
