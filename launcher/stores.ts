import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { addressesOf, NATS_SERVERS } from './cluster/addresses.ts';
import { NODE_FLAGS, type ProcessSpec, type TableOptions } from './process-spec.ts';

const REPLICA_SET = 'gerbang';

/** Where the system's database is. */
export function mongodbUriOf({ mongodbUri, ports }: Pick<TableOptions, 'mongodbUri' | 'ports'>): string {
  return mongodbUri ?? `mongodb://127.0.0.1:${ports.MONGODB_PORT}/?replicaSet=${REPLICA_SET}`;
}

/** The embedded server, or mongod where that is on PATH; a data folder stays with the one that has begun it. */
export function mongodb({ root, dataFolder, ports, shuffleUnsorted }: TableOptions): ProcessSpec {
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

/** Where the system's NATS is. */
export function natsUrlOf(options: Pick<TableOptions, 'natsUrl' | 'ports' | 'replicas'>): string {
  return (
    options.natsUrl ??
    natsHosts(options)
      .map((host) => `nats://${host}:${options.ports.NATS_PORT}`)
      .join(',')
  );
}

function natsHosts({ replicas }: Pick<TableOptions, 'replicas'>): string[] {
  return replicas === 1 ? ['127.0.0.1'] : addressesOf(NATS_SERVERS);
}

/** One server, or three that keep each stream together. Their stores are apart from that of one. */
export function natsServers(options: TableOptions): ProcessSpec[] {
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
