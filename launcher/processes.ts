import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { addressesOf, NATS_SERVERS, nameOf } from './cluster/addresses.ts';
import type { Route } from './cluster/balancer.ts';
import type { ReadinessProbe } from './readiness.ts';
import type { Secrets } from './secrets.ts';
import { answeringPorts, environmentOf, type Ports, peersOf, SERVICES } from './services.ts';

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
  /** How many processes each service has, but for the simulator; above one they are a cluster (`npm start -- --replicas`). */
  replicas: number;
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

/** Several of the balancer's looks at a probe. */
const DRAIN_DELAY_MS = 500;

/** Where the system's database is. */
export function mongodbUriOf({ mongodbUri, ports }: Pick<TableOptions, 'mongodbUri' | 'ports'>): string {
  return mongodbUri ?? `mongodb://127.0.0.1:${ports.MONGODB_PORT}/?replicaSet=${REPLICA_SET}`;
}

/** Every process of a sandbox on one machine, as data. */
export function processTable(options: TableOptions): ProcessSpec[] {
  return [
    ...(options.mongodbUri === undefined ? [mongodb(options)] : []),
    ...(options.natsUrl === undefined ? natsServers(options) : []),
    ...SERVICES.flatMap((row) => processesOf(row, options)),
    ...(options.replicas > 1 ? [balancer(options)] : []),
  ];
}

type Row = (typeof SERVICES)[number];

/** The replicas of a service: `edge`, or `edge-1`, `edge-2`. */
function processesOf(row: Row, options: TableOptions): ProcessSpec[] {
  const common = environmentOfAll(options);
  return hostsOf(row, options).map((host, i, hosts): ProcessSpec => {
    const env = environmentOf(row, options, host);
    return {
      name: hosts.length === 1 ? row.name : `${row.name}-${i + 1}`,
      command: process.execPath,
      args: [...NODE_FLAGS, ...clusterFlags(options), path.join(options.root, 'services', row.name, 'src/main.ts')],
      env: { ...common, ...env, ...options.env, ...options.envOf?.(row.name) },
      stage: 'services',
      ready: { http: probeOf(env, host) },
    };
  });
}

/** The simulator is the banks' side: there is one. */
function hostsOf(row: Row, { replicas }: TableOptions): string[] {
  return replicas === 1 || row.name === 'simulator' ? ['127.0.0.1'] : addressesOf(replicas);
}

function probeOf(env: Record<string, string>, host: string): string {
  return `http://${host}:${env.ADMIN_PORT}/readyz`;
}

function clusterFlags({ root, replicas }: TableOptions): string[] {
  return replicas === 1 ? [] : ['--import', path.join(root, 'launcher/cluster/hosts.mjs')];
}

/** Hands what comes to 127.0.0.1 to the replicas. */
function balancer(options: TableOptions): ProcessSpec {
  const routes = SERVICES.filter(({ name }) => name !== 'simulator').flatMap((row): Route[] => {
    const targets = hostsOf(row, options).map((host) => ({ host, probe: probeOf(environmentOf(row, options, host), host) }));
    return answeringPorts(row, options.ports).map((port) => ({ port, targets }));
  });
  return {
    name: 'balancer',
    command: process.execPath,
    args: [...NODE_FLAGS, path.join(options.root, 'launcher/cluster/main.ts')],
    env: { GERBANG_ROUTES: JSON.stringify(routes) },
    stage: 'services',
    ready: { tcp: options.ports.EDGE_PORT },
  };
}

/** The variables of every service: where the database, NATS, the clock and the other services are. */
function environmentOfAll(options: TableOptions): Record<string, string> {
  const { ports, replicas } = options;
  const peers = peersOf(ports, (service, hasInstances) => {
    if (replicas === 1) return ['127.0.0.1'];
    return hasInstances ? addressesOf(replicas) : [nameOf(service)];
  });
  const sources = peers.filter(({ publishesEvents }) => publishesEvents);
  return {
    GERBANG_ENV: 'sandbox',
    MONGODB_URI: mongodbUriOf(options),
    NATS_URL:
      options.natsUrl ??
      natsHosts(options)
        .map((host) => `nats://${host}:${ports.NATS_PORT}`)
        .join(','),
    SANDBOX_CLOCK_URL: `http://127.0.0.1:${ports.SIMULATOR_PORT}/sandbox/clock`,
    EVENT_SOURCES: sources.map(({ service, address }) => `${service}=${address}`).join(','),
    ...Object.fromEntries(peers.map(({ variable, address }) => [variable, address])),
    ...(replicas > 1 && {
      REPLICAS: String(replicas),
      // A NATS that was given may be a single server.
      ...(options.natsUrl === undefined && { STREAM_REPLICAS: String(NATS_SERVERS) }),
      DRAIN_DELAY_MS: String(DRAIN_DELAY_MS),
      GERBANG_HOSTS: JSON.stringify(Object.fromEntries(peers.map(({ service }) => [nameOf(service), addressesOf(replicas)]))),
    }),
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

function natsHosts({ replicas }: Pick<TableOptions, 'replicas'>): string[] {
  return replicas === 1 ? ['127.0.0.1'] : addressesOf(NATS_SERVERS);
}

/** One server, or three that keep each stream together. Their stores are apart from that of one. */
function natsServers(options: TableOptions): ProcessSpec[] {
  const { dataFolder, ports } = options;
  const port = String(ports.NATS_PORT);
  const hosts = natsHosts(options);
  return hosts.map((host, i): ProcessSpec => {
    const name = hosts.length === 1 ? 'nats' : `nats-${i + 1}`;
    return {
      name,
      command: 'nats-server',
      args: ['-a', host, '-p', port, '-js', '-sd', path.join(dataFolder, name), ...natsClusterArguments(options, name, host)],
      env: {},
      stage: 'stores',
      ready: { tcp: ports.NATS_PORT, host },
    };
  });
}

function natsClusterArguments(options: TableOptions, name: string, host: string): string[] {
  const hosts = natsHosts(options);
  if (hosts.length === 1) return [];
  const urls = hosts.map((other) => `nats://${other}:${options.ports.NATS_CLUSTER_PORT}`);
  const own = `nats://${host}:${options.ports.NATS_CLUSTER_PORT}`;
  return ['--server_name', name, '--cluster_name', 'gerbang', '--cluster', own, '--routes', urls.join(',')];
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
