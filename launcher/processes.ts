import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { ReadinessProbe } from './readiness.ts';
import type { Secrets } from './secrets.ts';
import { environmentOf, type Ports, peersOf, SERVICES } from './services.ts';

/** A process of the system: how it is started and how one knows that it is ready. */
export type ProcessSpec = {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Started together; the next stage waits until all of this one are ready. */
  stage: 'stores' | 'services';
  ready: ReadinessProbe;
};

export type TableOptions = {
  root: string;
  dataFolder: string;
  ports: Ports;
  secrets: Secrets;
  /** MONGODB_URI and NATS_URL as given; then nothing is started for them. */
  mongodbUri: string | undefined;
  natsUrl: string | undefined;
  /** Variables that go before all others. */
  env: Record<string, string>;
  /** Those of one service, which go before these: for tests. */
  envOf?: ((service: string) => Record<string, string>) | undefined;
  /** The embedded MongoDB gives what is found without a sort in random order: for tests. */
  shuffleUnsorted?: boolean;
};

/**
 * A young generation large enough that little outlives it under load; idle services keep it small. No threads that help to
 * collect: on a small machine they would take the processors from the other services. A heap is collected when it has grown to
 * twice what lived in it, not to four times, so that a backlog takes little more memory than it has content. And no debugger by a
 * signal: it would show the process's secrets.
 */
export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=32',
  '--no-parallel-scavenge',
  '--heap-growing-percent=100',
  '--disable-sigusr1',
];

const REPLICA_SET = 'gerbang';

/** Where the system's database is. */
export function mongodbUriOf({ mongodbUri, ports }: Pick<TableOptions, 'mongodbUri' | 'ports'>): string {
  return mongodbUri ?? `mongodb://127.0.0.1:${ports.MONGODB_PORT}/?replicaSet=${REPLICA_SET}`;
}

/** Every process of a sandbox on one machine, as data. */
export function processTable(options: TableOptions): ProcessSpec[] {
  const { dataFolder, ports } = options;
  const common = environmentOfAll(options);
  const services = SERVICES.map((row): ProcessSpec => {
    const env = environmentOf(row, options);
    return {
      name: row.name,
      command: process.execPath,
      args: [...NODE_FLAGS, path.join(options.root, 'services', row.name, 'src/main.ts')],
      env: { ...common, ...env, ...options.env, ...options.envOf?.(row.name) },
      stage: 'services',
      ready: { http: `http://127.0.0.1:${env.ADMIN_PORT}/readyz` },
    };
  });
  return [
    ...(options.mongodbUri === undefined ? [mongodb(options)] : []),
    ...(options.natsUrl === undefined ? [nats(dataFolder, ports)] : []),
    ...services,
  ];
}

/** The variables of every service: where the database, NATS, the clock and the other services are. */
function environmentOfAll(options: TableOptions): Record<string, string> {
  const { ports } = options;
  const peers = peersOf(ports);
  const sources = peers.filter(({ publishesEvents }) => publishesEvents);
  return {
    GERBANG_ENV: 'sandbox',
    MONGODB_URI: mongodbUriOf(options),
    NATS_URL: options.natsUrl ?? `nats://127.0.0.1:${ports.NATS_PORT}`,
    SANDBOX_CLOCK_URL: `http://127.0.0.1:${ports.SIMULATOR_PORT}/sandbox/clock`,
    EVENT_SOURCES: sources.map(({ service, address }) => `${service}=${address}`).join(','),
    ...Object.fromEntries(peers.map(({ variable, address }) => [variable, address])),
  };
}

/** The embedded server, or mongod where that is on PATH; a data folder stays with the one that has begun it. */
function mongodb({ root, dataFolder, ports, shuffleUnsorted }: TableOptions): ProcessSpec {
  const base = { name: 'mongodb', env: {}, stage: 'stores' as const };
  const port = String(ports.MONGODB_PORT);
  const embedded = path.join(dataFolder, 'mongodb');
  const real = path.join(dataFolder, 'mongod');
  if (existsSync(embedded) || (!existsSync(real) && !isOnPath('mongod'))) {
    const main = path.join(root, 'packages/embedded-mongo/src/main.ts');
    const forTests = shuffleUnsorted ? ['--shuffle-unsorted'] : [];
    const args = [...NODE_FLAGS, main, '--data', embedded, '--port', port, ...forTests];
    return { ...base, command: process.execPath, args, ready: { tcp: ports.MONGODB_PORT } };
  }
  if (!isOnPath('mongod')) throw new Error(`the data in ${real} are of a mongod, which is no longer on PATH; put it there again`);
  mkdirSync(real, { recursive: true });
  const replicaSet = ['--replSet', REPLICA_SET, '--bind_ip', '127.0.0.1', '--port', port];
  const args = ['--dbpath', real, ...replicaSet, '--wiredTigerCacheSizeGB', '0.25'];
  return { ...base, command: 'mongod', args, ready: { replicaSet: { name: REPLICA_SET, port: ports.MONGODB_PORT } } };
}

function nats(dataFolder: string, ports: Ports): ProcessSpec {
  return {
    name: 'nats',
    command: 'nats-server',
    args: ['-a', '127.0.0.1', '-p', String(ports.NATS_PORT), '-js', '-sd', path.join(dataFolder, 'nats')],
    env: {},
    stage: 'stores',
    ready: { tcp: ports.NATS_PORT },
  };
}

function isOnPath(command: string): boolean {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, command), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
