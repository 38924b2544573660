import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openLedgerChannel, verifyLedger } from '@gerbang/neighbours';
import { LedgerService, RoutingService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { TlsFiles } from '@gerbang/rpc';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { type Demo, ensureDemo, urlsOf } from './demo.ts';
import { demoClient } from './operators.ts';
import { findFreePorts, takenPorts } from './ports.ts';
import { processTable } from './processes.ts';
import { ensureSecrets } from './secrets.ts';
import type { PortName, Ports } from './services.ts';
import { mongodbUriOf } from './stores.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

const root = path.dirname(import.meta.dirname);
/** The whole system in sandbox mode, each service a process of its own. */
export type System = {
  demo: Demo;
  dataFolder: string;
  ports: Ports;
  /** Its database, for tests and benchmarks; a service's own one is called `<prefix><service>`. */
  mongodb: { uri: string; prefix: string };
  /** How long the last start took until every service was ready. */
  readyMs: number;
  /** Ids of all processes that run now. */
  pids(): number[];
  /** Throws when that one does not run now. */
  pidOf(name: string): number;
  kill(name: string, signal: NodeJS.Signals): Promise<void>;
  /** Resolves when every process is ready again. */
  ready(): Promise<void>;
  /** Stops everything and starts it again on the same data. */
  restart(): Promise<void>;
  /** The differences that the ledger finds between its journal and what is kept; none is right. */
  verifyLedger(): Promise<string[]>;
  stop(): Promise<void>;
};

export type SystemOptions = {
  dataFolder: string;
  ports: Ports;
  fresh: boolean;
  /** How many processes each service has; default 1. */
  replicas?: number | undefined;
  mongodbUri: string | undefined;
  natsUrl: string | undefined;
  env: Record<string, string>;
  /** For tests: variables of one service, and the operators' certificate where services have theirs. */
  envOf?: ((service: string) => Record<string, string>) | undefined;
  tls?: TlsFiles | undefined;
  /** For tests: the embedded MongoDB gives what is found without a sort in random order. */
  shuffleUnsorted?: boolean;
  say: (line: string) => void;
  /** Gives the start up: what runs by then is stopped, and `openSystem` throws. */
  signal?: AbortSignal;
};

/**
 * Starts the system on a data folder. Throws, with what to do, when that folder or a port is taken or a process does not get
 * ready.
 */
export async function openSystem(options: SystemOptions): Promise<System> {
  const folder = await openDataFolder(options.dataFolder, { fresh: options.fresh, url: urlsOf(options.ports).base_url });
  try {
    const skipped: readonly PortName[] = [
      ...(options.mongodbUri ? (['MONGODB_PORT'] as const) : []),
      ...(options.natsUrl ? (['NATS_PORT'] as const) : []),
    ];
    const names = (Object.keys(options.ports) as PortName[]).filter((name) => !skipped.includes(name));
    const taken = await takenPorts(options.ports, names);
    if (taken.length > 0) throw new Error(taken.join('\n  '));
    return await run(options, folder);
  } catch (error) {
    folder.release();
    throw error;
  }
}

async function run(options: SystemOptions, folder: DataFolder): Promise<System> {
  const { ports } = options;
  const table = processTable({
    ...options,
    replicas: options.replicas ?? 1,
    root,
    dataFolder: folder.path,
    secrets: ensureSecrets(folder.path),
  });
  const logFolder = path.join(folder.path, 'logs');
  let supervisor: Supervisor;
  const start = async () => {
    const startMs = performance.now();
    supervisor = createSupervisor(table, { logFolder, say: options.say, record: folder.record });
    const giveUp = () => void supervisor.stop();
    options.signal?.addEventListener('abort', giveUp);
    try {
      options.signal?.throwIfAborted();
      await supervisor.start();
      const demo = await ensureDemo(folder.path, ports, options.tls);
      return { demo, readyMs: Math.round(performance.now() - startMs) };
    } catch (error) {
      await supervisor.stop();
      throw error;
    } finally {
      options.signal?.removeEventListener('abort', giveUp);
    }
  };
  const system: System = {
    ...(await start()),
    dataFolder: folder.path,
    ports,
    mongodb: { uri: mongodbUriOf(options), prefix: options.env.MONGODB_DB_PREFIX ?? '' },
    pids: () => [...supervisor.pids().values()],
    pidOf(name) {
      const pid = supervisor.pids().get(name);
      if (pid === undefined) throw new Error(`${name} does not run`);
      return pid;
    },
    kill: (name, signal) => supervisor.kill(name, signal),
    ready: () => supervisor.ready(),
    async restart() {
      await supervisor.stop();
      Object.assign(system, await start());
    },
    async verifyLedger() {
      const channel = openLedgerChannel({ addresses: [`127.0.0.1:${ports.LEDGER_RPC_PORT}`], tls: options.tls });
      try {
        const differences: string[] = [];
        const clients = {
          ledger: demoClient(folder.path, channel, LedgerService, 'ledger'),
          routing: demoClient(folder.path, channel, RoutingService, 'ledger'),
        };
        const { sumSen } = await verifyLedger(clients, { difference: (line) => differences.push(line) });
        return sumSen === 0n ? differences : [...differences, `the sum of all accounts is ${sumSen} sen`];
      } finally {
        await channel.close();
      }
    },
    async stop() {
      await supervisor.stop();
      folder.release();
    },
  };
  return system;
}

/**
 * For tests and benchmarks: a system on free ports and a temporary data folder, which `stop` removes (KEEP_DATA=true keeps it).
 * Its databases, also on the server that MONGODB_URI names, are no other system's; `ownMongo` starts a server all the same, for
 * tests that kill it.
 */
export async function startSystem(options: {
  name: string;
  ownMongo?: boolean;
  env?: Record<string, string>;
  shuffleUnsorted?: boolean;
  /** A NATS that runs already; else one is started. */
  natsUrl?: string;
  replicas?: number;
  envOf?: SystemOptions['envOf'];
  tls?: TlsFiles;
}): Promise<System> {
  const dataFolder = mkdtempSync(path.join(tmpdir(), `gerbang-${options.name}-`));
  const system = await openSystem({
    dataFolder,
    ports: await findFreePorts(),
    fresh: false,
    mongodbUri: options.ownMongo ? undefined : process.env.MONGODB_URI || undefined,
    natsUrl: options.natsUrl,
    replicas: options.replicas,
    envOf: options.envOf,
    tls: options.tls,
    shuffleUnsorted: options.shuffleUnsorted ?? false,
    env: { LOG_LEVEL: 'info', MONGODB_DB_PREFIX: `test_${randomBytes(5).toString('hex')}_`, ...options.env },
    say: () => {},
  });
  const { stop } = system;
  system.stop = async () => {
    await stop();
    if (process.env.KEEP_DATA !== 'true') rmSync(dataFolder, { recursive: true, force: true });
  };
  return system;
}
