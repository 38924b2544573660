import { connect, createServer, type Server, type Socket } from 'node:net';

/** A port of this machine, and who answers there: `probe` says whether one takes connections now. */
export type Route = { port: number; targets: { host: string; probe: string }[] };

const PROBE_EVERY_MS = 100;
const PROBE_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 1_000;

/**
 * Listens on 127.0.0.1 for all routes and hands each connection to a replica that is ready, in turn; one that does not take it is
 * passed over. What is on its way stays with its replica. It stands in for the balancer of a cluster, on one machine.
 */
export async function startBalancer(routes: readonly Route[]): Promise<{ close(): void }> {
  const ready = watchProbes([...new Set(routes.flatMap(({ targets }) => targets.map(({ probe }) => probe)))]);
  const servers = await Promise.all(routes.map((route) => listen(route, ready.has)));
  return {
    close() {
      ready.close();
      for (const server of servers) server.close();
    },
  };
}

/** Knows which probes answered 200 when they were last asked. */
function watchProbes(urls: readonly string[]): { has(url: string): boolean; close(): void } {
  const ready = new Set<string>();
  const asking = new Set<string>();
  const ask = async (url: string) => {
    if (asking.has(url)) return;
    asking.add(url);
    const ok = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
      (response) => response.arrayBuffer().then(() => response.ok),
      () => false,
    );
    asking.delete(url);
    if (ok) ready.add(url);
    else ready.delete(url);
  };
  const timer = setInterval(() => {
    for (const url of urls) void ask(url);
  }, PROBE_EVERY_MS);
  return { has: (url) => ready.has(url), close: () => clearInterval(timer) };
}

async function listen({ port, targets }: Route, isReady: (probe: string) => boolean): Promise<Server> {
  let turn = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    const first = turn++;
    const inTurn = targets.map((_, i) => targets[(first + i) % targets.length]).filter((target) => target !== undefined);
    const hosts = inTurn.filter(({ probe }) => isReady(probe)).map(({ host }) => host);
    client.on('error', () => client.destroy());
    void join(client, hosts, port);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return server;
}

/** Joins a client with the first host that takes the connection; closes it where none does. */
async function join(client: Socket, hosts: readonly string[], port: number): Promise<void> {
  for (const host of hosts) {
    const replica = await open(host, port);
    if (replica === undefined) continue;
    if (client.destroyed) {
      replica.destroy();
      return;
    }
    client.pipe(replica).pipe(client);
    client.on('close', () => replica.destroy());
    replica.on('error', () => client.destroy());
    return;
  }
  client.destroy();
}

function open(host: string, port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const fail = () => {
      socket.destroy();
      resolve(undefined);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, fail);
    socket.once('error', fail).once('connect', () => {
      socket.setTimeout(0).removeListener('error', fail).removeListener('timeout', fail);
      resolve(socket);
    });
  });
}
