import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type Server } from 'node:net';
import { eventually } from '@gerbang/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startBalancer } from '../cluster/balancer.ts';
import { findFreePorts } from '../ports.ts';

const HOSTS = ['127.0.0.2', '127.0.0.3'];

/** A replica that answers each line with its host, and whose probe can be made to fail. */
type Replica = { host: string; isReady: boolean; listener: Server };

let port: number;
let replicas: Replica[];
let close: (() => void)[];

beforeEach(async () => {
  const ports = await findFreePorts();
  port = ports.EDGE_PORT;
  close = [];
  replicas = await Promise.all(HOSTS.map((host) => startReplica(host, ports.EDGE_ADMIN_PORT)));
  const targets = HOSTS.map((host) => ({ host, probe: `http://${host}:${ports.EDGE_ADMIN_PORT}/readyz` }));
  const balancer = await startBalancer([{ port, targets }]);
  close.push(balancer.close);
  await eventually('both take turns', async () => new Set([await ask(), await ask()]).size === 2);
});
afterEach(() => {
  for (const end of close.splice(0)) end();
});

async function startReplica(host: string, adminPort: number): Promise<Replica> {
  const listener = createTcpServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.write(`${host}\n`)).on('end', () => socket.end('bye\n'));
  });
  const replica = { host, isReady: true, listener };
  const probe = createServer((_, response) => response.writeHead(replica.isReady ? 200 : 503).end());
  listener.listen(port, host);
  probe.listen(adminPort, host);
  close.push(
    () => listener.close(),
    () => probe.close(),
  );
  await Promise.all([once(listener, 'listening'), once(probe, 'listening')]);
  return replica;
}

/** Who answers a new connection; 'closed' where it is closed. */
async function ask(): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const answer = new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(String(data).trim())).once('close', () => resolve('closed'));
  });
  socket.write('who\n');
  const who = await answer;
  socket.destroy();
  return who;
}

function replicaAt(host: string): Replica {
  const found = replicas.find((replica) => replica.host === host);
  if (found === undefined) throw new Error(`no replica at ${host}`);
  return found;
}

test('a replica that is not ready gets no new connections and keeps the old ones', async () => {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write('who\n');
  const [first] = await once(socket, 'data');
  const replica = replicaAt(first.trim());
  replica.isReady = false;
  await eventually('it is passed over', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, ask));
    return !answers.includes(replica.host) && !answers.includes('closed');
  });
  socket.write('who\n');
  expect((await once(socket, 'data'))[0]).toBe(first);
  socket.end();
  expect((await once(socket, 'data'))[0]).toBe('bye\n');
  replica.isReady = true;
  await eventually('it is back', async () => (await ask()) === replica.host);
});

test('one that takes no connections is passed over before its probe says so', async () => {
  const [first, second] = replicas;
  first?.listener.close();
  expect(await Promise.all(Array.from({ length: 6 }, ask))).toEqual(Array.from({ length: 6 }, () => second?.host));
});

test('without any that is ready a connection is closed', async () => {
  for (const replica of replicas) replica.isReady = false;
  await eventually('closed', async () => (await ask()) === 'closed');
});
