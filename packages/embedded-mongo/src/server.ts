import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { RefuseCommand } from './commands/context.ts';
import { Cursors } from './commands/cursors.ts';
import type { ServerParts } from './commands/dispatch.ts';
import { FailPoints } from './commands/fail-points.ts';
import { type Synchronous, syncPath } from './storage/database.ts';
import { expireDocuments } from './storage/expiry.ts';
import { Store } from './storage/store.ts';
import { serveConnection } from './wire/connection.ts';

export type EmbeddedMongoOptions = {
  /** Where data is kept; without it a temporary folder, removed on stop. */
  dataDir?: string;
  /** 0, the default, takes any free port. */
  port?: number;
  /** A loopback address; others are refused. */
  host?: string;
  /** How often documents past their TTL are removed. */
  expiryIntervalMs?: number;
  /** Refuses queries that no index serves, as the server's parameter `notablescan` does. */
  noTableScan?: boolean;
  /** Tells why a command is refused before it runs, or undefined: for tests of what clients send. */
  refuse?: RefuseCommand;
  /** What is found without a sort comes in random order, so that no test relies on the order of insertion. */
  shuffleUnsorted?: boolean;
  /** Anything but `full` loses acknowledged writes in a power loss; for tests of that only. */
  synchronous?: Synchronous;
};

const setName = 'gerbang';
const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

/** A server that speaks MongoDB's protocol on a loopback port and keeps its data in one file. */
export class EmbeddedMongo {
  /** For the driver: names the replica set, so that the driver treats it as it treats a real one. */
  readonly uri: string;
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly #store: Store;
  readonly #expiry: NodeJS.Timeout;
  readonly #temporaryDir: string | undefined;

  private constructor(own: {
    server: Server;
    sockets: Set<Socket>;
    store: Store;
    expiry: NodeJS.Timeout;
    host: string;
    port: number;
    temporaryDir: string | undefined;
  }) {
    this.uri = `mongodb://${own.host.includes(':') ? `[${own.host}]` : own.host}:${own.port}/?replicaSet=${setName}`;
    this.port = own.port;
    this.#server = own.server;
    this.#sockets = own.sockets;
    this.#store = own.store;
    this.#expiry = own.expiry;
    this.#temporaryDir = own.temporaryDir;
  }

  /** Opens the data and listens. Refuses addresses beyond this machine, and data it can't use (DataFileError). */
  static async start(options: EmbeddedMongoOptions = {}): Promise<EmbeddedMongo> {
    const host = options.host ?? '127.0.0.1';
    if (!loopback.has(host)) throw new Error(`the embedded MongoDB listens on loopback only, not on ${host}`);
    const temporaryDir = options.dataDir === undefined ? mkdtempSync(join(tmpdir(), 'embedded-mongo-')) : undefined;
    const dataDir = options.dataDir ?? temporaryDir ?? '';
    createFolder(dataDir);
    const store = new Store(join(dataDir, 'embedded-mongo.db'), options.synchronous ?? 'full');
    store.settings.noTableScan = options.noTableScan ?? false;
    store.settings.shuffleUnsorted = options.shuffleUnsorted ?? false;
    const sockets = new Set<Socket>();
    const info = { host, port: 0, setName, startedAt: new Date(), connections: () => sockets.size };
    const parts: ServerParts = {
      store,
      cursors: new Cursors(),
      failPoints: new FailPoints(),
      info,
      refuse: options.refuse,
    };
    const server = listener(sockets, parts);
    try {
      info.port = await listen(server, host, options.port ?? 0);
    } catch (error) {
      store.close();
      throw error;
    }
    const expiry = setInterval(() => expireDocuments(store, new Date()), options.expiryIntervalMs ?? 60_000);
    expiry.unref();
    return new EmbeddedMongo({ server, sockets, store, expiry, host, port: info.port, temporaryDir });
  }

  /** Commits what is under way, closes all connections and the data file. */
  async stop(): Promise<void> {
    clearInterval(this.#expiry);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#store.commits.flush();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#store.close();
    if (this.#temporaryDir) rmSync(this.#temporaryDir, { recursive: true, force: true });
  }
}

/** Creates a folder and those above it, and makes their names durable. */
function createFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made)) syncPath(dirname(made));
}

function listener(sockets: Set<Socket>, parts: ServerParts): Server {
  let connectionId = 0;
  return createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveConnection(socket, parts, ++connectionId);
  });
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}
